/** The settings of notices in each of their states. */
import type { NoticeDelivery, Notices } from "../contracts.ts";
import { NoticesView } from "../notices/NoticesView.tsx";
import type { PushStanding } from "../notices/push.ts";
import css from "./Gallery.module.css";

const NOW = Date.now();
const UNSET: Notices = {
  ...{ settings: {}, time_zone: "UTC", push_key: "BP4z", email_available: true, keeps_secrets: true },
  ...{ places: [], email_asked: null },
};
const BARE: Notices = { ...UNSET, push_key: null, email_available: false, keeps_secrets: false };
const FULL: Notices = {
  ...UNSET,
  time_zone: "America/Argentina/Buenos_Aires",
  settings: {
    push: { on: true, kinds: ["approval", "input"], quiet: false },
    ...{ quiet: { begin: 1_335, until: 420 }, titles: false, while_open: true },
  },
  places: [
    { id: "sub_1", channel: "push", shown: "Chrome, Linux", created_ms: NOW },
    { id: "sub_2", channel: "push", shown: "Safari, iOS", created_ms: NOW - 40 * 86_400_000 },
    {
      id: "plc_1",
      channel: "webhook",
      shown: "a-host-with-a-long-name.of-hooks.example:8443",
      created_ms: NOW,
    },
  ],
  email_asked: "somebody@example.org",
};

const delivery = (part: Partial<NoticeDelivery>): NoticeDelivery => ({
  ...{ id: `ntc_${part.event}`, event: "e", kind: "approval", channel: "push", thread_id: null, tries: 1 },
  ...{ state: "sent", reason: null, status: 201, created_ms: NOW, updated_ms: NOW, due_ms: null },
  ...part,
});
const DELIVERIES = [
  delivery({ event: "1" }),
  delivery({ event: "2", kind: "input", state: "pending", reason: "quiet_hours", status: null }),
  delivery({
    event: "3",
    kind: "failure",
    channel: "webhook",
    state: "failed",
    reason: "refused",
    status: 500,
  }),
  delivery({ event: "4", kind: "allowance", channel: "email", state: "dropped", reason: "answered" }),
];

const STATES: [string, Notices, PushStanding, readonly NoticeDelivery[]][] = [
  ["notices-unset", UNSET, "off", []],
  ["notices-bare", BARE, "insecure", []],
  ["notices-denied", UNSET, "denied", []],
  ["notices-full", FULL, "on", DELIVERIES],
];

export function NoticeStories() {
  return (
    <>
      <h2 className="aside-visually">Notices</h2>
      {STATES.map(([key, notices, standing, deliveries]) => (
        <div key={key} data-state={key} className={css.plain}>
          <NoticesView
            {...{ notices, standing, deliveries }}
            own={standing === "on" ? "sub_1" : null}
            busy={false}
            attempt={async () => true}
            keep={() => {}}
          />
        </div>
      ))}
    </>
  );
}
