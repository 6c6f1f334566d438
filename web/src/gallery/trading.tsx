/** The trading settings in each of their states, and the bars that go with them. */
import type { Trading, TradingAccount } from "../contracts.ts";
import { TradingSections } from "../trading/TradingSettings.tsx";
import css from "./Gallery.module.css";

const UNSET: Trading = {
  ...{ venue: "paper", network: "paper", account: "paper", switch: "active", used: false, ruled_today: "0" },
  time_zone: "Europe/Berlin",
  ...{ rules: {}, approvals: { price_move_percent: "1", expires_seconds: 900 } },
};

const NOW = Date.now();
const ADDRESS = "0x0d1d9635d0640821d15e323ac8adadfa9c111414";
const ACCOUNTS: TradingAccount[] = [
  {
    ...{ id: "acc_1", network: "mainnet", address: ADDRESS, watch_only: false, connected_ms: NOW },
    ...{ agent_address: "0x1", agent_expires_ms: NOW + 30 * 86_400_000 },
  },
  {
    ...{ id: "acc_2", network: "mainnet", address: ADDRESS.replace("0x0d", "0x1e"), watch_only: true },
    ...{ agent_address: null, agent_expires_ms: null, connected_ms: NOW },
  },
  {
    ...{ id: "acc_3", network: "testnet", address: ADDRESS.replace("0x0d", "0x2f"), watch_only: false },
    ...{ agent_address: "0x2", agent_expires_ms: NOW - 1_000, connected_ms: NOW },
  },
];

const STATES: [string, Trading, TradingAccount[] | null][] = [
  ["trading-unset", UNSET, []],
  ["trading-recorded", { ...UNSET, paper_replays: true, paper_loses: "answers" }, []],
  ["trading-halted", { ...UNSET, switch: "halted", network: "testnet" }, null],
  [
    "trading-rules",
    {
      ...{ ...UNSET, network: "mainnet", venue: "hyperliquid", switch: "reducing", used: true },
      ...{ account: ADDRESS, account_id: "acc_1" },
      ruled_today: "1200.5",
      rules: {
        ...{ enabled: true, venues: ["paper", "mainnet"], symbols: ["BTC", "ETH"], sides: ["buy"] },
        ...{ sizes: { BTC: "0.05" }, notional_an_order: "500", notional_a_day: "2000", hours: [8, 20] },
      },
    },
    ACCOUNTS,
  ],
];

export function TradingStories() {
  return (
    <>
      <h2 className="aside-visually">Trading</h2>
      {STATES.map(([key, trading, accounts]) => (
        <div key={key} data-state={key} className={css.plain}>
          <TradingSections trading={trading} accounts={accounts} setAccounts={() => {}} />
        </div>
      ))}
    </>
  );
}
