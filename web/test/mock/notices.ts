/** Notices of the pretended Berth: what is set up is kept, nothing is sent, and mail's code is always 123456. */
import { createHash } from "node:crypto";
import type {
  NoticeDelivery,
  NoticePlace,
  NoticeSettings,
  Notices,
  SubscriptionCreate,
} from "../../src/contracts.ts";
import { type Answer, type Call, ok, problem } from "./answers.ts";

const gone: Answer = { status: 204, body: "" };
const body = <T>(call: Call): T => JSON.parse(call.text) as T;

function shown({ world }: Call): Answer {
  const zone = world.owner.time_zone ?? "UTC";
  const notices: Notices = { ...world.notices, time_zone: zone };
  return ok(notices);
}

function change(call: Call, part: Partial<Notices>): Answer {
  call.world.notices = { ...call.world.notices, ...part };
  return shown(call);
}

function put(call: Call, place: NoticePlace): Answer {
  const others = call.world.notices.places.filter(
    (one) => one.id !== place.id && (one.channel === "push" || one.channel !== place.channel),
  );
  return change(call, { places: [...others, place] });
}

function without(call: Call, is: (place: NoticePlace) => boolean): Answer {
  change(call, { places: call.world.notices.places.filter((place) => !is(place)) });
  return gone;
}

function subscribe(call: Call): Answer {
  const { endpoint, shown: name = "Browser" } = body<SubscriptionCreate>(call);
  const id = `sub_${createHash("sha256").update(endpoint).digest("hex").slice(0, 32)}`;
  return { ...put(call, { id, channel: "push", shown: name, created_ms: Date.now() }), status: 201 };
}

function setWebhook(call: Call): Answer {
  const { url } = body<{ url: string }>(call);
  if (!url.startsWith("https://"))
    return problem(
      422,
      "invalid_request",
      "Notices cannot be sent to this address: it must begin with https://.",
    );
  const place: NoticePlace = {
    id: "plc_webhook",
    channel: "webhook",
    shown: new URL(url).host,
    created_ms: Date.now(),
  };
  put(call, place);
  return ok({ place, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" });
}

function confirmEmail(call: Call): Answer {
  const address = call.world.notices.email_asked;
  if (address === null || body<{ code: string }>(call).code !== "123456")
    return problem(422, "invalid_request", "This is not the code that was sent, or it is too old.");
  put(call, { id: "plc_email", channel: "email", shown: address, created_ms: Date.now() });
  return change(call, { email_asked: null });
}

function test(call: Call): Answer {
  const { channel } = body<{ channel: NoticeDelivery["channel"] }>(call);
  const now = Date.now();
  const delivery: NoticeDelivery = {
    ...{ id: `ntc_${now}`, event: `test_${now}`, kind: "test", channel, thread_id: null },
    ...{ state: "sent", reason: null, status: 200, tries: 1, created_ms: now, updated_ms: now, due_ms: null },
  };
  call.world.deliveries.unshift(delivery);
  return ok({ items: [delivery] });
}

export const NOTICE_ROUTES: [RegExp, (call: Call) => Answer][] = [
  [/^GET \/api\/notices$/, shown],
  [/^GET \/api\/notices\/deliveries$/, ({ world }) => ok({ items: world.deliveries })],
  [/^PUT \/api\/notices\/settings$/, (call) => change(call, { settings: body<NoticeSettings>(call) })],
  [/^POST \/api\/notices\/subscriptions$/, subscribe],
  [/^DELETE \/api\/notices\/subscriptions\/([^/]+)$/, (call) => without(call, (one) => one.id === call.id)],
  [/^PUT \/api\/notices\/webhook$/, setWebhook],
  [/^DELETE \/api\/notices\/webhook$/, (call) => without(call, (one) => one.channel === "webhook")],
  [
    /^PUT \/api\/notices\/email$/,
    (call) => change(call, { email_asked: body<{ address: string }>(call).address }),
  ],
  [/^POST \/api\/notices\/email\/confirm$/, confirmEmail],
  [/^DELETE \/api\/notices\/email$/, (call) => without(call, (one) => one.channel === "email")],
  [/^POST \/api\/notices\/test$/, test],
];
