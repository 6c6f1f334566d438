/** The server's resources, one function each. The bodies are those of contracts.ts. */
import type {
  Allowance,
  ApprovalSettings,
  Artifact,
  ArtifactPage,
  Bot,
  BotChange,
  BotCreate,
  BotList,
  BranchCreate,
  Branched,
  CommandPage,
  CommandStopped,
  Computer,
  EgressRule,
  EgressRuleCreate,
  EgressRuleList,
  EgressVerdict,
  FilePlaced,
  Intent,
  IntentDecision,
  Listing,
  LocalSignIn,
  MessageAccepted,
  MessageCreate,
  Owner,
  OwnerChange,
  OwnerDelete,
  OwnerDeleted,
  Run,
  SearchPage,
  ShownCommand,
  Thread,
  ThreadCreate,
  ThreadList,
  Ticket,
  TicketCreate,
  Trading,
  TradingAccount,
  TradingAccountConnect,
  TradingAccountList,
  TradingRules,
  TradingSwitch,
  TradingVenue,
  UnfinishedUpload,
  Upload,
  UploadBegin,
  UsageReport,
} from "../contracts.ts";
import { ask } from "./http.ts";
import { at, atPerson } from "./whose.ts";

export const signInLocally = (body: LocalSignIn) => ask<void>("POST", atPerson("sign-in", "local"), body);
export const getTicket = (body: TicketCreate) => ask<Ticket>("POST", at("tickets"), body);

export const getOwner = () => ask<Owner>("GET", at("me"));
export const changeOwner = (change: OwnerChange) => ask<Owner>("PATCH", at("me"), change);

export const deleteOwner = (body: OwnerDelete) => ask<OwnerDeleted>("POST", at("me", "delete"), body);

export const getBots = () => ask<BotList>("GET", at("bots"));
export const createBot = (bot: BotCreate) => ask<Bot>("POST", at("bots"), bot);
export const changeBot = (id: string, change: BotChange) => ask<Bot>("PATCH", at("bots", id), change);
export const deleteBot = (id: string) => ask<void>("DELETE", at("bots", id));

export const getThreads = () => ask<ThreadList>("GET", at("threads"));
export const getThread = (id: string) => ask<Thread>("GET", at("threads", id));
export const createThread = (thread: ThreadCreate) => ask<Thread>("POST", at("threads"), thread);
export const renameThread = (id: string, title: string) => ask<Thread>("PATCH", at("threads", id), { title });
export const restoreThread = (id: string) => ask<Thread>("POST", at("threads", id, "restore"));
export const threadExport = (id: string, kind: "markdown" | "json") =>
  `${at("threads", id, "export")}?as=${kind}`;
export const search = (query: string, before?: number) => {
  const from: Record<string, string> = before === undefined ? {} : { before: String(before) };
  return ask<SearchPage>("GET", `${at("search")}?${new URLSearchParams({ q: query, ...from })}`);
};
export const deleteThread = (id: string) => ask<void>("DELETE", at("threads", id));

export const sendMessage = (threadId: string, message: MessageCreate) =>
  ask<MessageAccepted>("POST", at("threads", threadId, "messages"), message);
export const createBranch = (threadId: string, branch: BranchCreate) =>
  ask<Branched>("POST", at("threads", threadId, "branches"), branch);
export const stopRun = (id: string) => ask<Run>("POST", at("runs", id, "stop"));
export const stopCommand = (id: string) => ask<CommandStopped>("POST", at("commands", id, "stop"));

export const decideApproval = (id: string, decision: IntentDecision) =>
  ask<Intent>("POST", at("approvals", id, "decision"), decision);

export const getTrading = () => ask<Trading>("GET", at("trading"));
export const setTradingSwitch = (body: TradingSwitch) => ask<Trading>("PUT", at("trading", "switch"), body);
export const setTradingRules = (body: TradingRules) => ask<Trading>("PUT", at("trading", "rules"), body);
export const setTradingApprovals = (body: ApprovalSettings) =>
  ask<Trading>("PUT", at("trading", "approvals"), body);

export const setTradingVenue = (body: TradingVenue) => ask<Trading>("PUT", at("trading", "venue"), body);
/** The paper market as it is at first: its own waves, and nothing is lost. */
export const setUsualPaper = () => ask<unknown>("PUT", at("trading", "paper"), {});
export const getAccounts = () => ask<TradingAccountList>("GET", at("trading", "accounts"));
export const connectAccount = (body: TradingAccountConnect) =>
  ask<TradingAccount>("POST", at("trading", "accounts"), body);
export const removeAccount = (id: string) => ask<void>("DELETE", at("trading", "accounts", id));

export const getComputer = () => ask<Computer>("GET", at("computer"));
export const getCommands = (before?: string) =>
  ask<CommandPage>("GET", `${at("computer", "commands")}${before === undefined ? "" : `?before=${before}`}`);
export const getCommand = (id: string) => ask<ShownCommand>("GET", at("computer", "commands", id));
export const standby = () => ask<Computer>("POST", at("computer", "standby"));
export const resetComputer = () => ask<Computer>("POST", at("computer", "reset"));

export const getAllowance = () => ask<Allowance>("GET", at("allowance"));
const ofDays = ({ first, last }: { first: string; last: string }) =>
  new URLSearchParams({ first_day: first, last_day: last });
export const getUsage = (by: UsageReport["by"], days: { first: string; last: string }) =>
  ask<UsageReport>("GET", `${at("usage")}?by=${by}&${ofDays(days)}`);
export const usageTable = (days: { first: string; last: string }) => `${at("usage.csv")}?${ofDays(days)}`;

export const getEgressRules = () => ask<EgressRuleList>("GET", at("egress", "rules"));
export const checkEgress = (url: string) => ask<EgressVerdict>("POST", at("egress", "verdict"), { url });
export const addEgressRule = (rule: EgressRuleCreate) => ask<EgressRule>("POST", at("egress", "rules"), rule);
export const removeEgressRule = (id: string) => ask<void>("DELETE", at("egress", "rules", id));

export const artifactContent = (id: string) => `${at("artifacts", id)}/content`;
export const uploadPreview = (id: string) => `${at("uploads", id)}/content?preview=1`;
export const artifactPreview = (id: string) => `${artifactContent(id)}?preview=1`;
const located = (what: string, query: Record<string, string>) =>
  `${at("files", ...(what === "" ? [] : [what]))}?${new URLSearchParams(query)}`;
export const getFolder = (path: string, sort: string, offset: number) => {
  const order = sort === "name" ? "asc" : "desc";
  return ask<Listing>("GET", located("", { path, sort, order, offset: String(offset) }));
};
export const fileContent = (path: string) => located("content", { path });
const ofFile = (path: string, anyhow: boolean) => ({ path, ...(anyhow ? { while_running: "true" } : {}) });
/** `anyhow`: also while commands run, which may be at work on it. */
export const moveFile = (path: string, to: string, anyhow: boolean) =>
  ask<FilePlaced>("PATCH", located("", ofFile(path, anyhow)), { to });
export const removeFile = (path: string, anyhow: boolean) =>
  ask<void>("DELETE", located("", ofFile(path, anyhow)));
export const placeOfFile = (path: string, anyhow: boolean) => located("content", ofFile(path, anyhow));
export const folderArchive = (path: string) => located("archive", { path });

export const pictureOf = (callId: string) => `${at("pictures", callId)}/content`;
export const getArtifacts = (before?: string) =>
  ask<ArtifactPage>("GET", before === undefined ? at("artifacts") : `${at("artifacts")}?before=${before}`);
export const getArtifact = (id: string) => ask<Artifact>("GET", at("artifacts", id));
export const renameArtifact = (id: string, name: string) =>
  ask<Artifact>("PATCH", at("artifacts", id), { name });
export const deleteArtifact = (id: string) => ask<void>("DELETE", at("artifacts", id));

export const beginUpload = (threadId: string, about: UploadBegin) =>
  ask<UnfinishedUpload>("POST", at("threads", threadId, "uploads", "begin"), about);
export const getUnfinishedUpload = (id: string) => ask<UnfinishedUpload>("GET", at("uploads", id));
export const finishUpload = (id: string) => ask<Upload>("POST", at("uploads", id, "finish"));
export const giveUpUpload = (id: string) => ask<void>("DELETE", at("uploads", id));
export const partOf = (id: string, number: number) => at("uploads", id, "parts", String(number));
export const uploadsOf = (threadId: string, name: string) =>
  `${at("threads", threadId, "uploads")}?name=${encodeURIComponent(name)}`;
