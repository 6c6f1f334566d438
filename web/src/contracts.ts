/**
 * What the server and this page exchange.
 * Generated from contracts/ by `npm run generate -w web`; do not edit.
 */

export type ArchiveState = "none" | "building" | "ready" | "failed";
/**
 * What a caller is known by.
 */
export type Via = "local" | "session" | "access" | "token";
/**
 * How much a model shall think before it answers.
 */
export type Effort = "low" | "medium" | "high";
/**
 * Who answers a bot, by the protocol that is spoken.
 */
export type Provider = "manual" | "scripted" | "openai" | "openai_responses" | "anthropic" | "workers_ai";
export type Locale = "en" | "zh-Hans" | "zh-Hant";
export type ErrorCode =
  | "computer_busy"
  | "computer_unavailable"
  | "computer_allowance_exhausted"
  | "computer_circuit_open"
  | "computer_banned"
  | "workspace_full"
  | "path_outside_workspace"
  | "not_found"
  | "not_a_file"
  | "binary_file"
  | "edit_no_match"
  | "edit_many_matches"
  | "artifact_too_large"
  | "artifact_limit"
  | "upload_too_large"
  | "command_timeout"
  | "egress_denied"
  | "egress_throttled"
  | "login_required"
  | "approval_expired"
  | "approval_changed"
  | "already_decided"
  | "venue_rejected"
  | "venue_unknown"
  | "venue_unavailable"
  | "venue_throttled"
  | "model_unavailable"
  | "model_throttled"
  | "model_context_full"
  | "model_key_refused"
  | "model_declined"
  | "notice_not_sent"
  | "rounds_exhausted"
  | "routine_limit"
  | "unauthenticated"
  | "too_many_attempts"
  | "forbidden"
  | "sign_in_unavailable"
  | "last_way_in"
  | "last_owner"
  | "being_deleted"
  | "invalid_request"
  | "internal";
export type RunState =
  | "queued"
  | "running"
  | "waiting_approval"
  | "waiting_input"
  | "waiting_takeover"
  | "done"
  | "failed"
  | "stopped";
/**
 * Of a breaker of the platform: all may, nobody may, or some may to see whether all is well again.
 */
export type CircuitState = "closed" | "open" | "half_open";
export type CommandState = "accepted" | "running" | "exited" | "signalled" | "timed_out" | "stopped" | "lost";
export type ComputerState = "standby" | "starting" | "running";
/**
 * Who set a run going: a person in the chat, or a routine.
 */
export type Origin = "chat" | "routine";
/**
 * Of what is to be done at the venue; `approved` and later ones name what a person or a rule let go.
 */
export type IntentState =
  | "pending"
  | "approved"
  | "submitting"
  | "unknown"
  | "executed"
  | "partially_executed"
  | "rejected_by_venue"
  | "declined"
  | "expired"
  | "withdrawn";
/**
 * What a person is in an owner.
 */
export type Role = "owner" | "member" | "viewer";
export type NoticeChannel = "push" | "webhook" | "email";
export type NoticeKind = "approval" | "input" | "failure" | "allowance" | "routine" | "test";
export type NoticeState = "pending" | "sent" | "failed" | "dropped";
/**
 * What somebody new is offered to try.
 */
export type FirstStep = "command" | "file" | "order" | "settings";
/**
 * What came of a time at which a routine was due; only `started` has a run.
 */
export type RoutineOutcome = "started" | "overlap" | "check" | "check_failed" | "month_used";
/**
 * `finished`: it was to run once, and has.
 */
export type RoutineState = "active" | "paused" | "finished";
/**
 * The kill switch: everything, only what makes a position smaller, or only cancelling.
 */
export type SwitchState = "active" | "reducing" | "halted";

/**
 * Not a body: the root from which the schema, and so the web's types, is made.
 */
export interface Everything {
  access_join: AccessJoin;
  allowance: Allowance;
  archive: Archive;
  artifact: Artifact;
  artifact_change: ArtifactChange;
  artifacts: ArtifactPage;
  audit: AuditPage;
  audit_check: AuditCheck;
  ban_request: BanRequest;
  because: Because;
  bot_change: BotChange;
  bot_create: BotCreate;
  bots: BotList;
  branch_create: BranchCreate;
  branched: Branched;
  breaker_request: BreakerRequest;
  circuit_change: CircuitChange;
  circuits: Circuits;
  command_stopped: CommandStopped;
  commands: CommandPage;
  computer: Computer;
  egress_question: EgressQuestion;
  egress_rule_create: EgressRuleCreate;
  egress_rules: EgressRuleList;
  egress_verdict: EgressVerdict;
  email_confirm: EmailConfirm;
  email_create: EmailCreate;
  events: EventPage;
  exempt_request: ExemptRequest;
  exhausted: Exhausted;
  file_move: FileMove;
  file_placed: FilePlaced;
  found: SearchPage;
  grant_create: GrantCreate;
  intent_decision: IntentDecision;
  intents: IntentList;
  invitation_code: InvitationCode;
  invitation_made: InvitationMade;
  invitations: InvitationList;
  invited_to: InvitedTo;
  listing: Listing;
  live: Hello | CaughtUp | PartDelta | ReasoningDelta | ToolOutput | TitleChanged;
  local_sign_in: LocalSignIn;
  member_change: MemberChange;
  member_invitation_create: MemberInvitationCreate;
  member_invitation_made: MemberInvitationMade;
  member_invitations: MemberInvitationList;
  members: MemberList;
  memberships: MembershipList;
  message_accepted: MessageAccepted;
  message_create: MessageCreate;
  notice_deliveries: NoticeDeliveries;
  notice_test: NoticeTest;
  notices: Notices;
  oidc_start: OidcStart;
  oidc_started: OidcStarted;
  operator_owner: OperatorOwner;
  operator_owners: OperatorOwners;
  overview: Overview;
  owner: Owner;
  owner_change: OwnerChange;
  owner_delete: OwnerDelete;
  owner_deleted: OwnerDeleted;
  passkey_answer: PasskeyAnswer;
  passkey_change: PasskeyChange;
  passkey_create: PasskeyCreate;
  passkey_options: PasskeyOptions;
  problem: ProblemDetails;
  recovery_codes: RecoveryCodes;
  recovery_sign_in: RecoverySignIn;
  removed_by_age: Retained;
  routine: Routine;
  routine_create: RoutineCreate;
  routine_draft: RoutineDraft;
  routine_history: RoutineHistory;
  routine_notice: RoutineNotice;
  routine_run_now: RoutineRunNow;
  routine_settings: RoutineSettings;
  routine_times: RoutineTimes;
  routines: RoutineList;
  sessions: SessionList;
  sign_in_ways: SignInWays;
  sign_up_passkey: SignUpPasskey;
  signed_in: SignedIn;
  standing: EgressStanding;
  subscription_create: SubscriptionCreate;
  thread_change: ThreadChange;
  thread_create: ThreadCreate;
  threads: ThreadList;
  ticket: Ticket;
  ticket_create: TicketCreate;
  token_create: TokenCreate;
  token_made: TokenMade;
  tokens: TokenList;
  trading: Trading;
  trading_account_connect: TradingAccountConnect;
  trading_accounts: TradingAccountList;
  trading_refused: TradingRefused;
  trading_rules: TradingRules;
  trading_switch: TradingSwitch;
  trading_venue: TradingVenue;
  unfinished_upload: UnfinishedUpload;
  upload: Upload;
  upload_begin: UploadBegin;
  usage: UsageReport;
  ways_in: WaysIn;
  webhook_create: WebhookCreate;
  webhook_made: WebhookMade;
  workspace_create: WorkspaceCreate;
}
export interface AccessJoin {
  code?: string | null;
}
/**
 * What is left, and what the month has brought and taken.
 */
export interface Allowance {
  balance_micro: number;
  exhausted: boolean;
  granted_micro: number;
  month: string;
  monthly_micro: number;
  once_micro: number;
  prices: PriceTable;
  resets_ms: number;
  spent_micro: number;
  time_zone: string;
}
export interface PriceTable {
  computer_micro_an_hour: number;
  models?: ModelPrice[];
}
/**
 * Micro-dollars a token, which is the same number as dollars a million tokens.
 */
export interface ModelPrice {
  cache_written: number;
  cached: number;
  input: number;
  model: string;
  output: number;
  provider: string;
}
/**
 * `made` of `files` are in it so far; `missing` were gone when it came to them, `left_out` were too many.
 *
 * `size` is that of the file to download, known once it is ready; `until_ms` is when it is removed.
 */
export interface Archive {
  created_ms?: number | null;
  files?: number;
  id?: string;
  left_out?: number;
  made?: number;
  missing?: number;
  size?: number | null;
  state?: ArchiveState;
  until_ms?: number | null;
}
export interface Artifact {
  created_ms: number;
  id: string;
  media_type: string;
  name: string;
  run_id: string;
  sha256: string;
  size: number;
  thread_id: string;
  tool_call_id: string;
}
export interface ArtifactChange {
  name: string;
}
/**
 * Newest first; `more` says that there are older ones behind the last.
 */
export interface ArtifactPage {
  items: Artifact[];
  more: boolean;
}
/**
 * Newest first.
 */
export interface AuditPage {
  items: ChainedEntry[];
  more?: boolean;
}
/**
 * An entry as it is kept; `n` goes up, with gaps.
 */
export interface ChainedEntry {
  actor?: Actor | null;
  at_ms: number;
  details: {
    [k: string]: number | boolean | string | string[] | null;
  };
  hash: string;
  id: string;
  kind: string;
  n: number;
  own?: {
    [k: string]: string;
  };
  owner_id: string;
  owner_previous: string;
  previous: string;
}
/**
 * Who did it: a person, and by what they were known.
 */
export interface Actor {
  person_id: string;
  via: Via;
}
/**
 * What a look at the chain found. `next_after` is where to go on; None at the end.
 */
export interface AuditCheck {
  broken?: AuditBreak | null;
  entries: number;
  head: string;
  next_after?: number | null;
}
/**
 * Where the record is not what was written: at this entry, or behind the last one.
 */
export interface AuditBreak {
  n: number;
  why: string;
}
/**
 * The reason is told to the owner, the model and the programs in the computer.
 */
export interface BanRequest {
  reason: string;
}
/**
 * Of the details of a problem: why, with the facts of its sentence beside it.
 */
export interface Because {
  reason:
    | "computer_banned_because"
    | "computer_ban_unknown"
    | "commands_many"
    | "command_gone"
    | "computer_being_deleted"
    | "commands_running"
    | "egress_used_up"
    | "egress_banned"
    | "egress_cut"
    | "egress_unknown"
    | "rule_gone"
    | "rules_many"
    | "length_unknown"
    | "export_too_large"
    | "computer_asleep"
    | "computer_restoring"
    | "computer_reset"
    | "berth_silent"
    | "computer_silent"
    | "file_not_whole"
    | "files_store_down"
    | "archive_gone"
    | "store_silent"
    | "computers_paused"
    | "computers_unknown"
    | "time_zone_unknown"
    | "days_wrong"
    | "day_wrong"
    | "model_key_no_sandbox"
    | "message_gone"
    | "message_waits"
    | "model_name_missing"
    | "temperature_wrong"
    | "recording_missing"
    | "bot_gone"
    | "thread_gone"
    | "deletion_planned"
    | "deletion_under_way"
    | "thread_deleted_meanwhile"
    | "file_gone"
    | "artifacts_many"
    | "attached_gone"
    | "invitation_used"
    | "invitations_many"
    | "invitation_gone"
    | "key_unreadable"
    | "keys_not_kept"
    | "own_has_no_name"
    | "own_is_alone"
    | "members_many"
    | "member_gone"
    | "last_owner_stays"
    | "message_empty"
    | "no_model_to_choose"
    | "client_id_elsewhere"
    | "client_id_used"
    | "workers_ai_absent"
    | "file_not_stored"
    | "upload_gone"
    | "notice_nowhere"
    | "notice_tests_many"
    | "no_mail"
    | "codes_many"
    | "browsers_many"
    | "no_push"
    | "push_key_wrong"
    | "browser_gone"
    | "confirm_deletion"
    | "picture_gone"
    | "bot_deleted"
    | "json_path_wrong"
    | "routines_many"
    | "routine_cost_used"
    | "client_id_other"
    | "routine_still_runs"
    | "routine_gone"
    | "cron_wrong"
    | "time_passed"
    | "time_zone_none"
    | "run_gone"
    | "our_side_send_again"
    | "tool_unknown"
    | "upload_too_large"
    | "upload_whole"
    | "uploads_many"
    | "upload_parts"
    | "uploads_not_removed"
    | "account_gone"
    | "agent_key_no_sandbox"
    | "not_as_shown"
    | "line_gone"
    | "run_stopped"
    | "orders_not_open"
    | "venue_not_asked"
    | "approval_gone"
    | "decided"
    | "paper_no_market"
    | "paper_price_bounds"
    | "market_unknown"
    | "venue_unfit"
    | "which_account"
    | "venue_asked_too_much"
    | "attempts_many"
    | "session_gone"
    | "tokens_many"
    | "token_gone"
    | "not_signed_in"
    | "passkeys_many"
    | "passkey_gone"
    | "last_way_in"
    | "workspace_banned"
    | "workspaces_many"
    | "invitation_needed"
    | "owner_gone"
    | "not_permitted"
    | "owner_unknown"
    | "our_side"
    | "attempts_many_address"
    | "body_too_large"
    | "check_address_wrong"
    | "bytes_gone"
    | "file_unreadable"
    | "sign_in_first"
    | "sign_in_not_set_up"
    | "this_machine_only"
    | "path_too_long"
    | "path_missing"
    | "no_such_way_in"
    | "wrong_token"
    | "model_address_wrong"
    | "no_page"
    | "notice_address_wrong"
    | "https_needed"
    | "no_sign_in_here"
    | "export_kind"
    | "part_size"
    | "host_cannot_open"
    | "last_owner_of"
    | "no_account_here"
    | "upload_name"
    | "computer_not_started"
    | "snapshot_not_started"
    | "files_unavailable"
    | "asked_first"
    | "code_wrong"
    | "routine_blank"
    | "routine_no_browser"
    | "approval_over"
    | "price_moved_since"
    | "arguments_wrong"
    | "fields_wrong"
    | "orders_illegal"
    | "no_file"
    | "disk_full"
    | "not_allowed_with"
    | "not_regular"
    | "name_too_long"
    | "links_many"
    | "is_folder"
    | "outside"
    | "leaves_workspace"
    | "path_nul"
    | "workspace_full_at"
    | "space_unknown"
    | "being_restored"
    | "name_taken"
    | "into_itself"
    | "no_name"
    | "put_meanwhile"
    | "folders_packing"
    | "cannot_show"
    | "file_changed"
    | "names_alike"
    | "not_text"
    | "edit_too_large"
    | "line_ends_only"
    | "not_in_encoding"
    | "edit_empty"
    | "edit_same"
    | "edit_places"
    | "edit_none"
    | "edit_near"
    | "shell_not_started"
    | "commands_running_many"
    | "command_too_long"
    | "model_unreached"
    | "model_broke"
    | "model_silent"
    | "model_endless"
    | "model_line_endless"
    | "model_unreadable"
    | "model_broke_off"
    | "model_too_long"
    | "model_many_calls"
    | "model_cut"
    | "model_declined"
    | "model_nothing"
    | "model_answered"
    | "model_answered_with"
    | "model_stopped"
    | "model_stopped_with"
    | "recording_over"
    | "given_up"
    | "routine_time"
    | "routine_cost"
    | "routine_month"
    | "routine_no_computer"
    | "export_broke"
    | "picture_not_kept"
    | "attached_unread"
    | "upload_incomplete"
    | "upload_unfit"
    | "mail_silent"
    | "mail_refused"
    | "check_no_json"
    | "check_nothing_at"
    | "check_no_number"
    | "check_status"
    | "check_unreached"
    | "check_slow"
    | "check_too_large"
    | "order_wrong"
    | "order_no_market"
    | "order_no_number"
    | "order_not_positive"
    | "order_huge"
    | "order_no_price"
    | "order_no_size"
    | "order_not_smaller"
    | "order_too_small";
}
export interface BotChange {
  instructions?: string | null;
  model?: ModelChoice | null;
  name?: string | null;
  rounds?: number | null;
}
/**
 * Settings of a model as they are given; the key goes in and never comes out again.
 *
 * Without `api_key` a stored key stays, for the same provider and address only; an empty one removes it. A
 * `recording` is what `scripted` plays; without one the stored one stays.
 */
export interface ModelChoice {
  api_key?: string | null;
  base_url?: string;
  effort?: Effort | null;
  model?: string;
  provider?: Provider;
  recording?: RecordedAnswer[] | null;
  temperature?: number | null;
}
/**
 * One answer of a recorded conversation: text, calls, or both.
 */
export interface RecordedAnswer {
  calls?: RecordedCall[];
  reasoning?: string;
  text?: string;
}
export interface RecordedCall {
  arguments?: {
    [k: string]: unknown;
  };
  tool: string;
}
export interface BotCreate {
  instructions?: string;
  model?: ModelChoice;
  name: string;
  rounds?: number;
}
export interface BotList {
  items: Bot[];
}
export interface Bot {
  created_ms: number;
  id: string;
  instructions: string;
  model: ModelSettings;
  name: string;
  rounds?: number;
}
/**
 * Which model a bot thinks with. `manual` needs none: a person types the commands.
 *
 * An empty `base_url` is the provider's own. Where an `effort` is named, no temperature is sent.
 */
export interface ModelSettings {
  base_url?: string;
  effort?: Effort | null;
  has_key?: boolean;
  model?: string;
  provider?: Provider;
  temperature?: number | null;
}
/**
 * Another thread with what came before a message of a person, and then the message, changed or again.
 *
 * `seq` is the message's; its files go along. `client_id` does what it does for a message.
 */
export interface BranchCreate {
  client_id: string;
  seq: number;
  text?: string | null;
}
export interface Branched {
  accepted: MessageAccepted;
  thread: Thread;
}
export interface MessageAccepted {
  message: Message;
  run: Run;
  seq: number;
}
export interface Message {
  client_id?: string | null;
  created_ms: number;
  effort?: Effort | null;
  ended?: ("length" | "declined") | null;
  id: string;
  locale?: Locale | null;
  model?: string | null;
  nonce?: string | null;
  queued?: boolean;
  role: "user" | "assistant";
  round?: number | null;
  routine?: RoutineEntry | null;
  run_id?: string | null;
  tainted?: boolean;
  text: string;
  uploads?: Upload[];
}
/**
 * That a message is a routine's prompt: which one, set off by what, and due when.
 */
export interface RoutineEntry {
  by: "schedule" | "person";
  computer?: boolean;
  due_ms: number;
  name: string;
  routine_id: string;
}
/**
 * A file a person attached. `path` is where the computer has it, once it is there.
 */
export interface Upload {
  id: string;
  media_type: string;
  name: string;
  path?: string | null;
  size: number;
}
export interface Run {
  created_ms: number;
  error?: Problem | null;
  id: string;
  question?: OwnerQuestion | null;
  reason?: string | null;
  rounds: number;
  routine_id?: string | null;
  state: RunState;
  taint?: TaintCause[];
  tainted: boolean;
  thread_id: string;
  updated_ms: number;
  usage?: Usage | null;
}
/**
 * An error as it is stored in a thread and shown: `details` are facts for the code's own card.
 */
export interface Problem {
  code: ErrorCode;
  details?: {
    [k: string]: unknown;
  } | null;
  message: string;
  retry_after_s?: number | null;
}
/**
 * What a run that waits for input needs. `id` is the call that asked.
 *
 * `continue` is Berth's own: the rounds are used up, and any message gives new ones.
 */
export interface OwnerQuestion {
  choices?: string[];
  id?: string;
  kind: "text" | "choice" | "file" | "approval" | "continue";
  text?: string;
}
/**
 * What may have brought text from outside into a run: a call of its own, or a run before it.
 *
 * `what` is the beginning of the command or path, `hosts` are some of those that answered it.
 */
export interface TaintCause {
  hosts?: string[];
  id: string;
  kind: "call" | "run";
  tool?: string;
  what?: string;
}
/**
 * Tokens of a model. `input` counts all that was read, also what came from a cache or went into one.
 */
export interface Usage {
  cache_written?: number;
  cached?: number;
  input?: number;
  output?: number;
}
export interface Thread {
  bot_id: string;
  branch_of?: string | null;
  created_ms: number;
  head_seq: number;
  id: string;
  routine_id?: string | null;
  run?: Run | null;
  title: string;
  updated_ms: number;
}
/**
 * `exempt` are hosts, as receipts show them.
 */
export interface BreakerRequest {
  exempt?: string[];
  reason: string;
  retry_after_s?: number;
}
export interface CircuitChange {
  reason: string;
  state: CircuitState;
}
export interface Circuits {
  day_budget_micro: number;
  day_micro: number;
  hour_budget_micro: number;
  hour_micro: number;
  items: Circuit[];
}
/**
 * One of the platform's breakers, for operators.
 */
export interface Circuit {
  name: "spending" | "starts";
  reason?: string;
  since_ms?: number;
  state: CircuitState;
  until_ms?: number | null;
}
/**
 * `asked` is true where the command was still running, as far as anybody knows: a computer that cannot be
 * asked now is asked again. Its end comes as `tool.finished`.
 */
export interface CommandStopped {
  asked: boolean;
}
/**
 * Commands of all threads, the newest first.
 */
export interface CommandPage {
  items: ShownCommand[];
  more: boolean;
}
/**
 * A command of any thread, as its history shows it.
 *
 * In a list `command` is its beginning and `result.output` is left out; by itself it has both whole.
 * No `finished_ms`: it runs, waits for its turn, or, where it is `over`, ended without a word.
 */
export interface ShownCommand {
  command: string;
  error?: Problem | null;
  finished_ms?: number | null;
  id: string;
  over: boolean;
  result?: CommandResult | null;
  started_ms: number;
  thread_id: string;
  title: string;
}
/**
 * How a command ended. `output` is what the model saw: the head and the tail of a long one.
 */
export interface CommandResult {
  banned?: boolean;
  cut_characters?: number;
  cut_lines?: number | null;
  duration_ms: number;
  egress?: EgressReceipt[];
  exit_code?: number | null;
  id: string;
  leftovers?: number;
  log_note?: string | null;
  log_path?: string | null;
  oom?: boolean;
  output: string;
  output_bytes?: number;
  signal?: number | null;
  state: CommandState;
  workspace_full?: boolean;
}
/**
 * One kind of request a command made to the outside, and what the egress Worker said.
 */
export interface EgressReceipt {
  allowed: boolean;
  code?: ErrorCode | null;
  count: number;
  host: string;
  method: string;
  reason: string;
  received?: number;
  sent?: number;
}
export interface Computer {
  ban?: Ban | null;
  commands?: RunningCommand[];
  reason?: string | null;
  restored?: Restored | null;
  since_ms: number;
  state: ComputerState;
}
/**
 * Why and since when an owner's computer may neither run nor go out. Its files are kept.
 */
export interface Ban {
  at_ms: number;
  reason: string;
}
export interface RunningCommand {
  command: string;
  id: string;
  origin: string;
  since_ms: number;
  thread_id: string;
}
/**
 * A computer woke with something else than the owner left: which files, as of when, from what.
 *
 * `as_of_ms` is None where nothing had been saved, and the workspace is a fresh one. `lost_ms` is when
 * the computer stopped before it was saved. From a `backup` come /workspace and the home folder; what was
 * elsewhere did not come back.
 */
export interface Restored {
  as_of_ms?: number | null;
  lost_ms?: number | null;
  missing?: number;
  missing_names?: string[];
  older?: boolean;
  source: "snapshot" | "backup" | "fresh";
  unusable?: ("snapshot_expired" | "snapshot_of_other_image" | "snapshot_failed" | "backup_damaged")[];
  woke_ms: number;
}
/**
 * An address that a command might read; without a scheme it is https.
 */
export interface EgressQuestion {
  url: string;
}
/**
 * `understood` says that the person was told what opening a host means.
 */
export interface EgressRuleCreate {
  days?: number;
  host: string;
  path?: string;
  understood: true;
}
export interface EgressRuleList {
  items: EgressRule[];
}
/**
 * What an owner has opened to the own computer: reads of a host, at a path and below, until a date.
 */
export interface EgressRule {
  created_ms: number;
  host: string;
  id: string;
  path: string;
  until_ms: number;
}
/**
 * What a command that starts now would meet there. `can_open` says that an own rule may open the host.
 */
export interface EgressVerdict {
  allowed: boolean;
  can_open: boolean;
  host: string;
  reason: string;
  rule: string;
}
export interface EmailConfirm {
  code: string;
}
export interface EmailCreate {
  address: string;
}
export interface EventPage {
  head_seq: number;
  items: (
    | MessageCreated
    | ReasoningCreated
    | ToolStarted
    | ToolFinished
    | ArtifactCreated
    | RunStatus
    | ComputerStatus
    | Notice
    | ApprovalRequested
    | ApprovalDecided
    | IntentUpdated
  )[];
}
export interface MessageCreated {
  at_ms: number;
  data: Message;
  seq: number;
  type: "message.created";
}
export interface ReasoningCreated {
  at_ms: number;
  data: Reasoning;
  seq: number;
  type: "reasoning.created";
}
/**
 * What a model said to itself before an answer; `cut` says that only the beginning is kept.
 */
export interface Reasoning {
  created_ms: number;
  cut?: boolean;
  id: string;
  round: number;
  run_id: string;
  tainted?: boolean;
  text: string;
}
export interface ToolStarted {
  at_ms: number;
  data: ToolStart;
  seq: number;
  type: "tool.started";
}
export interface ToolStart {
  arguments: {
    [k: string]: unknown;
  };
  round: number;
  run_id: string;
  started_ms: number;
  tool: string;
  tool_call_id: string;
}
export interface ToolFinished {
  at_ms: number;
  data: ToolFinish;
  seq: number;
  type: "tool.finished";
}
/**
 * `text` is the tool's answer to the model, without its envelope; `nonce` names that envelope.
 */
export interface ToolFinish {
  artifact_id?: string | null;
  change?: FileChange | null;
  command?: CommandResult | null;
  error?: Problem | null;
  finished_ms: number;
  nonce: string;
  ok: boolean;
  picture?: Picture | null;
  round: number;
  run_id: string;
  text: string;
  tool: string;
  tool_call_id: string;
}
/**
 * What a call did to a file. Its diff is the call's `text`; `cut` says that the diff was too long for it.
 *
 * `compared` is false where there is no diff, because what was there before is no text.
 */
export interface FileChange {
  added?: number;
  compared?: boolean;
  created?: boolean;
  cut?: boolean;
  path: string;
  removed?: number;
  size: number;
}
/**
 * A picture that a call gave the model to see: at most as large as a model looks at.
 */
export interface Picture {
  height: number;
  media_type: string;
  size: number;
  width: number;
}
export interface ArtifactCreated {
  at_ms: number;
  data: Artifact;
  seq: number;
  type: "artifact.created";
}
export interface RunStatus {
  at_ms: number;
  data: Run;
  seq: number;
  type: "run.status";
}
export interface ComputerStatus {
  at_ms: number;
  data: Computer;
  seq: number;
  type: "computer.status";
}
export interface Notice {
  at_ms: number;
  data: NoticeData;
  seq: number;
  type: "notice";
}
/**
 * `code` picks the sentence in the reader's language; `text` is the English one.
 */
export interface NoticeData {
  code:
    | "uploads_delivered"
    | "uploads_waiting"
    | "computer_restored"
    | "verify_asked"
    | "answer_asked"
    | "report_asked"
    | "routine_paused"
    | "routine_month_used";
  restored?: Restored | null;
  text: string;
  uploads?: Upload[];
}
export interface ApprovalRequested {
  at_ms: number;
  data: Intent;
  seq: number;
  type: "approval.requested";
}
/**
 * Something to be done at the venue. An approval names its digest, and holds for it alone.
 */
export interface Intent {
  account: string;
  asked_again?: ("price_moved" | "rules_changed") | null;
  by?: ("owner" | "rule") | null;
  created_ms: number;
  digest: string;
  expires_ms: number;
  id: string;
  kind: "place" | "cancel";
  lines: IntentLine[];
  network: string;
  outcomes: LineOutcome[];
  reason?: string;
  replaces?: string | null;
  source: IntentSource;
  state: IntentState;
  thread_id: string;
  totals: IntentTotals;
  updated_ms: number;
  venue: string;
}
/**
 * One order, or the cancelling of one, as it will be sent, and what it would mean.
 *
 * `position_after` is the position if it and all lines before it fill whole; `distance` is how far the price
 * is from the mid, in per cent, and positive above it; `margin` is what its growth of the position takes at
 * `leverage`, which is 0 where there is none, as of a cancel.
 */
export interface IntentLine {
  asset: number;
  distance: string;
  fee: string;
  leverage?: number;
  margin: string;
  mid: string;
  n: number;
  notional: string;
  order_id: string;
  position: string;
  position_after: string;
  price: string;
  reduce_only: boolean;
  side: "buy" | "sell";
  size: string;
  symbol: string;
  tif: "Gtc" | "Ioc" | "Alo";
  warnings?: ("far_from_mid" | "over_balance" | "over_limit" | "illiquid" | "would_match")[];
}
/**
 * What became of a line; `filled` is the size so far, `price` the average of its fills.
 */
export interface LineOutcome {
  error?: string;
  filled?: string;
  n: number;
  price?: string;
  state:
    | "proposed"
    | "declined"
    | "not_sent"
    | "unknown"
    | "not_placed"
    | "resting"
    | "filled"
    | "partly_filled"
    | "cancelled"
    | "rejected";
}
/**
 * Where an intent came from. `tainted`: text from outside had a part in it, by these causes.
 */
export interface IntentSource {
  causes?: TaintCause[];
  origin: Origin;
  run_id: string;
  tainted: boolean;
  tool_call_id: string;
}
export interface IntentTotals {
  available: string;
  fee: string;
  margin: string;
  notional: string;
}
/**
 * By a person, a rule or the clock; `data` is the intent after it.
 */
export interface ApprovalDecided {
  at_ms: number;
  data: Intent;
  seq: number;
  type: "approval.decided";
}
export interface IntentUpdated {
  at_ms: number;
  data: Intent;
  seq: number;
  type: "intent.updated";
}
export interface ExemptRequest {
  reason: string;
}
/**
 * The details of `computer_allowance_exhausted`: facts for its card.
 */
export interface Exhausted {
  balance_micro: number;
  monthly_micro: number;
  resets_ms: number;
  spent_micro: number;
  time_zone: string;
}
/**
 * Where a file or folder goes; nothing that is there is written over.
 */
export interface FileMove {
  to: string;
}
/**
 * Where a file or folder is now, from the workspace.
 */
export interface FilePlaced {
  path: string;
}
/**
 * Newest first; `more` says that there are older ones behind the last.
 */
export interface SearchPage {
  items: SearchHit[];
  more: boolean;
  words_left_out?: number;
}
/**
 * A message that was found: the one at `seq` of its thread. `id` is its place in the search.
 */
export interface SearchHit {
  at_ms: number;
  client_id?: string | null;
  id: number;
  message_id: string;
  role: "user" | "assistant";
  seq: number;
  snippet: SnippetPart[];
  thread_id: string;
  title: string;
}
/**
 * A piece of a message; `hit` where it is what was searched for.
 */
export interface SnippetPart {
  hit?: boolean;
  text: string;
}
/**
 * A single grant by an operator. The same `id` again grants nothing more.
 */
export interface GrantCreate {
  id: string;
  micro: number;
}
/**
 * Which lines go ahead; all others are declined. `reason` is told to the model.
 */
export interface IntentDecision {
  approve: number[];
  digest: string;
  reason?: string;
}
/**
 * Newest first; `more` says that there are older ones behind the last.
 */
export interface IntentList {
  items: Intent[];
  more: boolean;
}
export interface InvitationCode {
  code: string;
}
export interface InvitationMade {
  code: string;
  created_ms: number;
  expires_ms: number;
  id: string;
  used_ms?: number | null;
}
export interface InvitationList {
  items: Invitation[];
}
export interface Invitation {
  created_ms: number;
  expires_ms: number;
  id: string;
  used_ms?: number | null;
}
/**
 * What an invitation is for, as who holds it may know before they accept.
 */
export interface InvitedTo {
  expires_ms: number;
  name: string;
  owner_id: string;
  role: Role;
}
/**
 * A page of a folder of the computer. Not `live`: as it was last seen, at `at_ms`; nothing was woken.
 */
export interface Listing {
  at_ms: number;
  cut?: boolean;
  entries: FolderEntry[];
  live: boolean;
  path: string;
  total: number;
}
export interface FolderEntry {
  kind: "file" | "folder" | "link" | "other";
  modified_ms: number;
  name: string;
  size: number;
}
export interface Hello {
  data: HelloData;
  type: "hello";
}
export interface HelloData {
  computer: Computer;
  head_seq: number;
  protocol: number;
  thread_id: string;
}
/**
 * Everything up to `seq` has been sent; what follows is new.
 */
export interface CaughtUp {
  data: CaughtUpData;
  type: "caught_up";
}
export interface CaughtUpData {
  seq: number;
}
export interface PartDelta {
  data: PartDeltaData;
  type: "part.delta";
}
/**
 * A piece of the answer being written: `offset` counts characters, `attempt` separates retries.
 */
export interface PartDeltaData {
  attempt: number;
  message_id: string;
  offset: number;
  run_id: string;
  text: string;
}
/**
 * A piece of what a model says to itself; `message_id` is the id of the `reasoning.created` after it.
 */
export interface ReasoningDelta {
  data: PartDeltaData;
  type: "reasoning.delta";
}
export interface ToolOutput {
  data: ToolOutputData;
  type: "tool.output";
}
/**
 * A piece of a running command's output: `offset` counts characters from its start.
 *
 * A jump in `offset` means that frames were left out to keep up; the whole is in the log.
 */
export interface ToolOutputData {
  offset: number;
  stream: "stdout" | "stderr" | "log";
  text: string;
  tool_call_id: string;
}
/**
 * The thread has another title, which the list of threads has too.
 */
export interface TitleChanged {
  data: TitleChangedData;
  type: "thread.titled";
}
export interface TitleChangedData {
  thread_id: string;
  title: string;
}
export interface LocalSignIn {
  token: string;
}
export interface MemberChange {
  role: Role;
}
export interface MemberInvitationCreate {
  role?: Role;
}
export interface MemberInvitationMade {
  code: string;
  created_ms: number;
  expires_ms: number;
  id: string;
  role: Role;
}
/**
 * Those that can still be used.
 */
export interface MemberInvitationList {
  items: MemberInvitation[];
}
/**
 * Good for one person, until `expires_ms`.
 */
export interface MemberInvitation {
  created_ms: number;
  expires_ms: number;
  id: string;
  role: Role;
}
export interface MemberList {
  items: Member[];
}
export interface Member {
  joined_ms: number;
  name: string;
  person_id: string;
  role: Role;
}
/**
 * One's own first, then by when one came to them.
 */
export interface MembershipList {
  items: Membership[];
}
/**
 * An owner, as a person who belongs to it sees it.
 */
export interface Membership {
  id: string;
  name?: string;
  role?: Role | null;
}
/**
 * `client_id` is chosen by the client once; sending it again answers with the first result.
 */
export interface MessageCreate {
  client_id: string;
  during?: "steer" | "queue";
  effort?: Effort | null;
  locale?: Locale | null;
  model?: string | null;
  text: string;
  upload_ids?: string[];
}
export interface NoticeDeliveries {
  items: NoticeDelivery[];
}
/**
 * One notice on its way to one place.
 */
export interface NoticeDelivery {
  channel: NoticeChannel;
  created_ms: number;
  due_ms: number | null;
  event: string;
  id: string;
  kind: NoticeKind;
  reason:
    | (
        | "page_open"
        | "quiet_hours"
        | "email_limit"
        | "answered"
        | "expired"
        | "switched_off"
        | "place_gone"
        | "thread_gone"
        | "too_many"
        | "refused"
        | "redirected"
        | "unreachable"
        | "unreadable"
        | "not_set_up"
      )
    | null;
  state: NoticeState;
  status: number | null;
  thread_id: string | null;
  tries: number;
  updated_ms: number;
}
export interface NoticeTest {
  channel: NoticeChannel;
}
/**
 * All that the settings show. `push_key` is the application server's, None where none is set up.
 */
export interface Notices {
  email_asked: string | null;
  email_available: boolean;
  keeps_secrets: boolean;
  places: NoticePlace[];
  push_key: string | null;
  settings: NoticeSettings;
  time_zone: string;
}
/**
 * Where notices go: a browser, a webhook or an address of mail.
 */
export interface NoticePlace {
  channel: NoticeChannel;
  created_ms: number;
  id: string;
  shown: string;
  used_ms?: number | null;
}
export interface NoticeSettings {
  email?: ChannelChoice;
  push?: ChannelChoice;
  quiet?: QuietHours | null;
  titles?: boolean;
  webhook?: ChannelChoice;
  while_open?: boolean;
}
export interface ChannelChoice {
  kinds?: NoticeKind[];
  on?: boolean;
  quiet?: boolean;
}
/**
 * From one minute of the owner's day to another, over midnight where `until` is the sooner one.
 */
export interface QuietHours {
  begin: number;
  until: number;
}
export interface OidcStart {
  code?: string | null;
  return_to?: string;
}
export interface OidcStarted {
  url: string;
}
export interface OperatorOwner {
  ban?: Ban | null;
  deleted_ms?: number | null;
  exempt?: Exemption | null;
  first_ms: number;
  owner_id: string;
  reason?: string | null;
  report?: OwnerReport | null;
  seen_ms: number;
  state?: ComputerState | null;
  state_ms?: number | null;
}
/**
 * The platform's breakers do not hold for this owner; a ban does.
 */
export interface Exemption {
  at_ms: number;
  reason: string;
}
/**
 * What an owner's object tells of itself now and then; `errors` and `calls` are of the last day.
 */
export interface OwnerReport {
  at_ms: number;
  balance_micro?: number;
  bots?: number;
  calls?: number;
  computer_micro?: number;
  errors?: {
    [k: string]: number;
  };
  model_micro?: number;
  routines?: number;
  running_ms?: number;
  runs?: {
    [k: string]: number;
  };
  threads?: number;
}
/**
 * The owner seen last comes first. `next` is what `before` takes for the page behind it.
 */
export interface OperatorOwners {
  items: OperatorOwner[];
  next?: string | null;
}
/**
 * The deployment in one look. Sums are over what owners told last.
 */
export interface Overview {
  audit_head: string;
  banned: number;
  breaker?: EgressBreaker | null;
  circuits: Circuits;
  computers?: {
    [k: string]: number;
  };
  deleted: number;
  deployed?: string;
  errors?: {
    [k: string]: number;
  };
  owners: number;
  running_ms?: number;
  runs?: {
    [k: string]: number;
  };
  starts_failed?: number;
  starts_good?: number;
  version: string;
}
/**
 * While it is there, no computer may go out, but to the hosts that are exempt.
 */
export interface EgressBreaker {
  at_ms: number;
  exempt?: string[];
  reason: string;
  retry_after_s: number;
}
export interface Owner {
  deletion_ms?: number | null;
  deletion_takes_account?: boolean;
  first_steps?: FirstStep[];
  id: string;
  locale: Locale;
  name?: string;
  network: string;
  operator?: boolean;
  person_id?: string;
  platform_keys?: Provider[];
  providers?: Provider[];
  retained?: Retained;
  retention?: Retention;
  role?: "owner" | "member" | "viewer";
  sandboxed: boolean;
  takes_keys?: boolean;
  time_zone?: string | null;
  version: string;
}
/**
 * How many were removed by age.
 */
export interface Retained {
  pictures?: number;
  results?: number;
  threads?: number;
}
/**
 * Days that things are kept after they happened; null keeps them for ever.
 *
 * `results` are the full texts of calls, `threads` those in which nothing happened for so long. Nothing in a
 * thread is kept longer than threads are.
 */
export interface Retention {
  pictures?: number | null;
  results?: number | null;
  threads?: number | null;
}
/**
 * What is not given stays as it is; a `retention` is taken as a whole.
 */
export interface OwnerChange {
  first_steps?: FirstStep[] | null;
  locale?: Locale | null;
  name?: string | null;
  retention?: Retention | null;
  time_zone?: string | null;
}
/**
 * `confirm` is the owner's id, typed by the person; `at_once` is without the days to take it back.
 *
 * With `account` the person goes too: how they sign in, and their place in every workspace.
 */
export interface OwnerDelete {
  account?: boolean;
  at_once?: boolean;
  confirm: string;
}
/**
 * `at_ms` is when it begins, where it can be taken back until then.
 *
 * `finished` is false until then too, and where something did not answer: then it goes on by itself.
 */
export interface OwnerDeleted {
  at_ms?: number | null;
  finished: boolean;
}
/**
 * What a browser's `navigator.credentials` gave, as its `toJSON` says it.
 */
export interface PasskeyAnswer {
  response: {
    [k: string]: unknown;
  };
}
export interface PasskeyChange {
  name: string;
}
export interface PasskeyCreate {
  name: string;
  response: {
    [k: string]: unknown;
  };
}
/**
 * What a browser's `navigator.credentials` is asked with, as WebAuthn's JSON.
 */
export interface PasskeyOptions {
  options: {
    [k: string]: unknown;
  };
}
/**
 * RFC 9457, media type `application/problem+json`.
 */
export interface ProblemDetails {
  code: ErrorCode;
  details?: {
    [k: string]: unknown;
  } | null;
  message: string;
  retry_after_s?: number | null;
  status: number;
  title: string;
  type?: string;
}
/**
 * Shown this once; those before them are worth nothing any more.
 */
export interface RecoveryCodes {
  codes: string[];
}
export interface RecoverySignIn {
  code: string;
}
export interface Routine {
  bot_id: string;
  created_ms: number;
  failures?: number;
  id: string;
  last?: RoutineFiring | null;
  month_microdollars?: number;
  next_ms?: number | null;
  paused_by?: ("person" | "failures") | null;
  settings: RoutineSettings;
  state: RoutineState;
  thread_id: string;
  updated_ms: number;
}
/**
 * A time at which the routine was due, and what came of it.
 *
 * `count` of them in a row had the same outcome, the last at `at_ms`. `microdollars` is what the run costs.
 * `note` is the kind of the check that did not hold, or says why one could not be made; that has its reason
 * and facts in `details`, as a problem has.
 */
export interface RoutineFiring {
  at_ms: number;
  by: "schedule" | "person";
  count?: number;
  details?: {
    [k: string]: unknown;
  } | null;
  due_ms: number;
  id: number;
  microdollars?: number;
  note?: string;
  outcome: RoutineOutcome;
  run?: Run | null;
}
/**
 * `orders` is what the routine may order by itself; it is not the owner's rules for the chat.
 *
 * `overlap` says what becomes of a run that falls due while the one before it has not ended.
 */
export interface RoutineSettings {
  browser?: boolean;
  checks?: (WindowCheck | PriceCheck | HttpCheck)[];
  computer?: boolean;
  limits?: RoutineLimits;
  name: string;
  orders?: TradingRules;
  overlap?: "skip" | "queue";
  prompt: string;
  schedule: CronSchedule | EverySchedule | OnceSchedule;
  zone?: string;
}
/**
 * Starts only from `first` (inclusive) to `end` (exclusive) on these days, in the routine's time zone.
 *
 * Days count from Monday, 0. Where `end` is not after `first`, the window goes over midnight and belongs to
 * the day on which it begins.
 */
export interface WindowCheck {
  days: number[];
  end: string;
  first: string;
  kind: "window";
}
/**
 * Starts when the venue's mid has come to the other side of `price` since the look before.
 */
export interface PriceCheck {
  crosses: "above" | "below";
  kind: "price";
  price: string;
  symbol: string;
}
/**
 * Starts by a value of the JSON that `url` answers with.
 *
 * `path` is a JSON path that names one value: `$.items[0].price`. `changed` compares with the look before
 * and does not use `value`.
 */
export interface HttpCheck {
  compare: "equals" | "differs" | "above" | "below" | "changed";
  kind: "http";
  path: string;
  url: string;
  value?: string;
}
/**
 * What one run, and a month of them, may take. `minutes` are of work: waiting for a person is none.
 */
export interface RoutineLimits {
  failures?: number;
  minutes?: number;
  month_microdollars?: number;
  rounds?: number;
  run_microdollars?: number;
}
/**
 * What may go ahead without asking, where nothing from outside had a part in it. Off unless switched on.
 *
 * Empty lists allow nothing. `venues` are named by their networks, so that what is allowed on one is not
 * allowed on another. `notional_a_day` bounds what rules let through since midnight; both it and `hours`
 * go by the owner's time zone.
 */
export interface TradingRules {
  enabled?: boolean;
  hours?: number[];
  notional_a_day?: string;
  notional_an_order?: string;
  reduce_only_exempt?: boolean;
  sides?: ("buy" | "sell")[];
  sizes?: {
    [k: string]: string;
  };
  symbols?: string[];
  venues?: ("paper" | "testnet" | "mainnet")[];
}
/**
 * Five fields, as cron reads them on the clock of the routine's time zone.
 */
export interface CronSchedule {
  expression: string;
  kind: "cron";
}
/**
 * Every so many minutes, counted from when the routine was made or its schedule changed.
 */
export interface EverySchedule {
  kind: "every";
  minutes: number;
}
export interface OnceSchedule {
  at_ms: number;
  kind: "once";
}
/**
 * `client_id` is chosen by the client once; sending it again answers with the first result.
 */
export interface RoutineCreate {
  bot_id: string;
  browser?: boolean;
  checks?: (WindowCheck | PriceCheck | HttpCheck)[];
  client_id: string;
  computer?: boolean;
  limits?: RoutineLimits;
  name: string;
  orders?: TradingRules;
  overlap?: "skip" | "queue";
  prompt: string;
  schedule: CronSchedule | EverySchedule | OnceSchedule;
  zone?: string;
}
/**
 * A schedule that somebody is about to choose.
 */
export interface RoutineDraft {
  schedule: CronSchedule | EverySchedule | OnceSchedule;
  zone?: string;
}
/**
 * Newest first; `more` says that there are older ones behind the last.
 */
export interface RoutineHistory {
  items: RoutineFiring[];
  more: boolean;
}
/**
 * What the owner has to be told of a routine that went on without them.
 */
export interface RoutineNotice {
  at_ms: number;
  failures?: number;
  kind: "paused" | "month_used";
  name: string;
  routine_id: string;
  thread_id: string;
}
/**
 * `client_id` does what it does for a message.
 */
export interface RoutineRunNow {
  client_id: string;
}
/**
 * When it would run next; fewer where it ends before.
 */
export interface RoutineTimes {
  times: number[];
}
export interface RoutineList {
  items: Routine[];
}
export interface SessionList {
  items: Session[];
}
/**
 * A device's sign-in.
 */
export interface Session {
  created_ms: number;
  current: boolean;
  device: string;
  id: string;
  seen_ms: number;
}
/**
 * How one gets in here, as anybody may know it.
 */
export interface SignInWays {
  access_name?: string | null;
  first?: boolean;
  oidc_name?: string;
  sign_up: "invited" | "open";
  ways: ("local" | "passkey" | "oidc" | "access")[];
}
export interface SignUpPasskey {
  code?: string | null;
  name: string;
}
export interface SignedIn {
  person_id: string;
  recovered?: boolean;
}
export interface EgressStanding {
  ban?: Ban | null;
  breaker?: EgressBreaker | null;
}
export interface SubscriptionCreate {
  endpoint: string;
  keys: SubscriptionKeys;
  shown?: string;
}
/**
 * As a browser gives them: the uncompressed point of its key, and its secret.
 */
export interface SubscriptionKeys {
  auth: string;
  p256dh: string;
}
export interface ThreadChange {
  title: string;
}
export interface ThreadCreate {
  bot_id: string;
  title?: string;
}
export interface ThreadList {
  items: Thread[];
}
export interface Ticket {
  expires_in_s: number;
  ticket: string;
}
export interface TicketCreate {
  path: string;
}
/**
 * `approve` is never there unless it is asked for; `manage` a token never has.
 */
export interface TokenCreate {
  days?: number | null;
  name: string;
  scopes?: ("read" | "chat" | "approve")[];
}
export interface TokenMade {
  created_ms: number;
  expires_ms: number | null;
  id: string;
  name: string;
  scopes: ("read" | "chat" | "approve")[];
  token: string;
  used_ms?: number | null;
}
export interface TokenList {
  items: Token[];
}
/**
 * An API token: what a program of the person may do in the person's name.
 */
export interface Token {
  created_ms: number;
  expires_ms: number | null;
  id: string;
  name: string;
  scopes: ("read" | "chat" | "approve")[];
  used_ms?: number | null;
}
/**
 * `account` is the address (or `paper`), and `account_id` that of the connected account.
 */
export interface Trading {
  account: string;
  account_id?: string | null;
  approvals: ApprovalSettings;
  network: string;
  paper_loses?: "nothing" | "orders" | "answers";
  paper_replays?: boolean;
  ruled_today: string;
  rules: TradingRules;
  switch: SwitchState;
  time_zone: string;
  used: boolean;
  venue: string;
}
/**
 * How approvals are asked for: anew where a mid moved by more since it was shown, and for how long.
 */
export interface ApprovalSettings {
  expires_seconds?: number;
  price_move_percent?: string;
}
/**
 * An account by its address, to look at; with the key of an agent of it also to trade.
 *
 * The key goes in and never comes out. Connected again, an account has the key that was given last.
 */
export interface TradingAccountConnect {
  address: string;
  agent_key?: string | null;
}
export interface TradingAccountList {
  items: TradingAccount[];
}
/**
 * `agent_expires_ms` is empty where the venue names no end, as of an agent without a name.
 */
export interface TradingAccount {
  address: string;
  agent_address: string | null;
  agent_expires_ms: number | null;
  connected_ms: number;
  id: string;
  network: "mainnet" | "testnet";
  watch_only: boolean;
}
/**
 * The details of a `forbidden` of trading.
 */
export interface TradingRefused {
  reason:
    | "halted"
    | "reducing"
    | "stopped"
    | "price_moved"
    | "rules_changed"
    | "account_removed"
    | "not_connected"
    | "watch_only"
    | "agent_expired"
    | "account_changed"
    | "key_unreadable"
    | "other_network"
    | "no_exchange"
    | "market_changed"
    | "not_signed"
    | "venue_unavailable"
    | "venue_throttled";
}
export interface TradingSwitch {
  state: SwitchState;
}
/**
 * Where what is proposed from now on goes. What was proposed before stays with its own account.
 */
export interface TradingVenue {
  account_id?: string | null;
  venue: "paper" | "hyperliquid";
}
/**
 * A file that comes in parts of `part_bytes`, numbered from 1: `parts` are there. Ends at `until_ms`.
 */
export interface UnfinishedUpload {
  id: string;
  media_type: string;
  name: string;
  part_bytes: number;
  parts: number[];
  size: number;
  until_ms: number;
}
/**
 * A file that is to come in parts; smaller ones are sent whole.
 */
export interface UploadBegin {
  media_type?: string;
  name: string;
  size: number;
}
/**
 * The sum of all rows and of `others` is `total`: what the ledger was debited in these days.
 */
export interface UsageReport {
  by: "day" | "bot" | "thread" | "routine" | "command" | "model";
  first_day: string;
  last_day: string;
  others?: UsageRow | null;
  prices: PriceTable;
  rows: UsageRow[];
  time_zone: string;
  total: UsageRow;
}
/**
 * What one day, bot, thread, routine, command or model has used. `key` is empty for what is of none.
 */
export interface UsageRow {
  computer_micro: number;
  computer_ms: number;
  input_tokens: number;
  key: string;
  label?: string;
  micro: number;
  model_micro: number;
  output_tokens: number;
}
/**
 * How the person who asks can sign in.
 */
export interface WaysIn {
  accounts: SignInAccount[];
  name: string;
  operator: boolean;
  passkeys: Passkey[];
  person_id: string;
  recovery_codes_left: number;
}
/**
 * An account elsewhere that signs its person in here.
 */
export interface SignInAccount {
  issuer: string;
  name: string;
  used_ms: number;
}
export interface Passkey {
  backed_up: boolean;
  created_ms: number;
  id: string;
  name: string;
  used_ms?: number | null;
}
export interface WebhookCreate {
  url: string;
}
/**
 * The only answer that holds the secret.
 */
export interface WebhookMade {
  place: NoticePlace;
  secret: string;
}
export interface WorkspaceCreate {
  name: string;
}
