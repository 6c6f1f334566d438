/** What there is to say about a command besides its output: what was cut, left over, fetched and refused. */
import { Globe, Info, ShieldX } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { CommandResult, EgressReceipt } from "../contracts.ts";
import type { Locale } from "../i18n/locale.ts";
import { useLanguage } from "../i18n/text.ts";
import type { TerminalCard } from "../stream/cards.ts";
import { Button } from "../ui/Button.tsx";
import { bytes, count } from "../ui/format.ts";
import { AllowHost } from "./AllowHost.tsx";
import css from "./Card.module.css";

/** So many denied requests are shown before somebody asks for all. */
const FOLDED = 3;

function Note({ children }: { children: ReactNode }) {
  return (
    <li className={css.note}>
      <Info size={14} aria-hidden="true" />
      <span>{children}</span>
    </li>
  );
}

/** Only what no rule speaks of can be opened by its owner, and only for reading over https. */
const mayBeOpened = ({ code, method, host, reason }: EgressReceipt) =>
  code === "egress_denied" &&
  reason.startsWith("default:") &&
  (method === "GET" || method === "HEAD") &&
  !host.includes(":");

/** Why it was denied: by the name of the rule, which stands first, else in the receipt's own words. */
function deniedBy(reason: string, sentences: Readonly<Record<string, string>>): string {
  const rule = reason.split(":", 1)[0] ?? "";
  return Object.hasOwn(sentences, rule) ? (sentences[rule] ?? reason) : reason;
}

function Denied({ receipt }: { receipt: EgressReceipt }) {
  const { text: t, locale } = useLanguage();
  return (
    <li className={css.note} data-egress="denied">
      <ShieldX size={14} className={css.denied} aria-hidden="true" />
      <span>
        <strong className={css.denied}>{t.deniedRequest(receipt.method, receipt.host)}</strong>
        {receipt.count > 1 && ` · ${t.times(count(receipt.count, locale))}`}
        <span className={css.reason}>{deniedBy(receipt.reason, t.deniedBy)}</span>
      </span>
      {mayBeOpened(receipt) && <AllowHost host={receipt.host} />}
    </li>
  );
}

function Allowed({ receipts }: { receipts: readonly EgressReceipt[] }) {
  const { text: t, locale } = useLanguage();
  const hosts = new Map<string, number>();
  for (const receipt of receipts) hosts.set(receipt.host, (hosts.get(receipt.host) ?? 0) + receipt.count);
  const moved = receipts.reduce((sum, { sent = 0, received = 0 }) => sum + sent + received, 0);
  return (
    <li className={css.note} data-egress="allowed">
      <Globe size={14} aria-label={t.network} role="img" />
      <span>
        {[...hosts].map(([host, n]) => t.allowedRequests(host, count(n, locale))).join(" · ")}
        {moved > 0 && ` · ${bytes(moved)}`}
      </span>
    </li>
  );
}

/** How many lines the bot did not see; nobody has counted those that were never read. */
function cutLines(result: CommandResult | null, locale: Locale): string | null {
  return result === null || result.cut_lines === null ? null : count(result.cut_lines ?? 0, locale);
}

export function TerminalNotes({ card }: { card: TerminalCard }) {
  const { text: t, locale } = useLanguage();
  const { result } = card;
  const [all, setAll] = useState(false);
  const egress = result?.egress ?? [];
  const allowed = egress.filter((receipt) => receipt.allowed);
  const denied = egress.filter((receipt) => !receipt.allowed);
  const shown = all ? denied : denied.slice(0, FOLDED);
  const cut = result?.cut_characters ?? 0;
  const leftovers = result?.leftovers ?? 0;
  const notes = [
    card.abandoned && result === null && <Note key="abandoned">{t.abandonedNote}</Note>,
    result?.state === "lost" && <Note key="lost">{t.lostNote}</Note>,
    result?.workspace_full && <Note key="full">{t.workspaceFullNote}</Note>,
    cut > 0 && <Note key="cut">{t.cutForBot(count(cut, locale), cutLines(result, locale))}</Note>,
    leftovers > 0 && <Note key="leftovers">{t.leftovers(leftovers)}</Note>,
    result?.log_note && <Note key="log">{result.log_note}</Note>,
    ...shown.map((receipt) => (
      <Denied key={`${receipt.method} ${receipt.host} ${receipt.reason}`} receipt={receipt} />
    )),
    denied.length > shown.length && (
      <li key="more">
        <Button look="quiet" onClick={() => setAll(true)}>
          {t.showMore} ({count(denied.length - shown.length, locale)})
        </Button>
      </li>
    ),
    allowed.length > 0 && <Allowed key="allowed" receipts={allowed} />,
  ].filter(Boolean);
  return notes.length === 0 ? null : <ul className={css.notes}>{notes}</ul>;
}
