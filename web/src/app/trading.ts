/** How the owner's trading stands: the kill switch, the rules and where orders go, for every part of the page. */
import { createStore } from "zustand/vanilla";
import * as berth from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import type { ApprovalSettings, SwitchState, Trading, TradingRules, TradingVenue } from "../contracts.ts";

export interface TradingStanding {
  readonly trading: Trading | null;
  /** The person wanted to halt, and the server was not told. */
  readonly haltFailed: boolean;
}

export const standing = createStore<TradingStanding>(() => ({ trading: null, haltFailed: false }));

const REFRESH_MS = 15_000;
/** Of answers that were asked for before a change, none may undo what the change has told. */
let asked = 0;

export async function refreshTrading(): Promise<void> {
  const number = ++asked;
  const trading = await berth.getTrading();
  if (number === asked) standing.setState({ trading });
}

async function changed(change: Promise<Trading>): Promise<void> {
  const trading = await change;
  asked++;
  standing.setState({ trading });
}

/** Asked for again by whoever has seen that something must have changed. */
export const refreshQuietly = () =>
  refreshTrading().catch((reason: unknown) => {
    // The bars say that the server is away; what was known of trading stays on the page.
    problemOf(reason);
  });

/** Another device may have halted: asked for while somebody is looking. */
export function keepTradingFresh(): void {
  void refreshQuietly();
  setInterval(() => {
    if (document.visibilityState === "visible") void refreshQuietly();
  }, REFRESH_MS);
}

export const setSwitch = (state: SwitchState) => changed(berth.setTradingSwitch({ state }));
export const setRules = (rules: TradingRules) => changed(berth.setTradingRules(rules));
export const setApprovals = (approvals: ApprovalSettings) => changed(berth.setTradingApprovals(approvals));

export const setVenue = (venue: TradingVenue) => changed(berth.setTradingVenue(venue));

/** The one tap. That it failed must be seen. */
export async function halt(): Promise<void> {
  standing.setState({ haltFailed: false });
  try {
    await setSwitch("halted");
  } catch (reason) {
    problemOf(reason);
    standing.setState({ haltFailed: true });
  }
}
