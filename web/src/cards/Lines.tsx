/** What is said in one quiet line: the computer's changes, notices, and events of a newer server. */
import { CircleAlert, FileDown, Monitor, RefreshCw } from "lucide-react";
import { lazy, Suspense } from "react";
import type { NoticeData } from "../contracts.ts";
import { type Dictionary, useText } from "../i18n/text.ts";
import type { NoticeCard, OpaqueCard, StatusCard } from "../stream/cards.ts";
import { Button } from "../ui/Button.tsx";
import { took, visible } from "../ui/format.ts";
import card from "./Card.module.css";

// A wake that did not bring everything back is rare.
const RestoredCard = lazy(() => import("./RestoredCard.tsx"));

function statusSentence({ computer, tookMs, banChanged }: StatusCard, t: Dictionary): string {
  if (banChanged) return computer.ban ? t.computerBanned(computer.ban.reason) : t.computerBanLifted;
  if (tookMs !== null) return t.woke(took(tookMs));
  if (computer.reason === "stopped_unexpectedly") return t.computerUnexpected;
  if (computer.reason === "reset") return t.computerReset;
  if (computer.reason === "start_failed") return t.computerStartFailed;
  if (computer.reason === "files_unavailable") return t.computerFilesUnavailable;
  return t.computerStandbyBecause(computer.reason ?? "");
}

export function StatusLine({ record }: { record: StatusCard }) {
  const t = useText();
  const Icon = record.tookMs !== null ? Monitor : CircleAlert;
  return (
    <p className={card.line} data-card="status">
      <Icon size={14} aria-hidden="true" />
      {statusSentence(record, t)}
    </p>
  );
}

export function NoticeLine({ record }: { record: NoticeCard }) {
  const t = useText();
  const { notice } = record;
  if (notice.code === "computer_restored" && notice.restored?.source)
    return (
      <Suspense>
        <RestoredCard restored={notice.restored} />
      </Suspense>
    );
  const uploads = notice.uploads ?? [];
  return (
    <p
      className={card.line}
      data-card="notice"
      title={uploads.map((one) => visible(one.path ?? one.name)).join("\n")}
    >
      {notice.code === "uploads_delivered" ? (
        <FileDown size={14} aria-hidden="true" />
      ) : (
        <CircleAlert size={14} aria-hidden="true" />
      )}
      {sentence(notice, t)}
    </p>
  );
}

function sentence({ code, text, uploads }: NoticeData, t: Dictionary) {
  if (code === "uploads_waiting") return t.uploadsWaiting;
  if (code === "uploads_delivered" && uploads?.length) return t.uploadsDelivered(uploads.length);
  if (code === "verify_asked") return t.verifyAsked;
  if (code === "answer_asked") return t.answerAsked;
  if (code === "report_asked") return t.reportAsked;
  if (code === "routine_paused") return t.routine.noticePaused;
  if (code === "routine_month_used") return t.routine.noticeMonth;
  return text;
}

export function OpaqueLine({ record }: { record: OpaqueCard }) {
  const t = useText();
  return (
    <p className={card.line} data-card="opaque">
      <RefreshCw size={14} aria-hidden="true" />
      <span>
        {t.unknownEvent} <code>{record.type}</code>
      </span>
      <Button look="quiet" onClick={() => location.reload()}>
        {t.reload}
      </Button>
    </p>
  );
}
