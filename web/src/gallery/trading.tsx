/** The trading settings in each of their states, and the bars that go with them. */
import type { Trading } from "../contracts.ts";
import { TradingSections } from "../trading/TradingDialog.tsx";
import css from "./Gallery.module.css";

const UNSET: Trading = {
  ...{ venue: "paper", network: "paper", account: "paper", switch: "active", used: false, ruled_today: "0" },
  ...{ rules: {}, approvals: { price_move_percent: "1", expires_seconds: 900 } },
};

const STATES: [string, Trading][] = [
  ["trading-unset", UNSET],
  [
    "trading-rules",
    {
      ...{ ...UNSET, network: "mainnet", venue: "hyperliquid", switch: "reducing", used: true },
      ruled_today: "1200.5",
      rules: {
        ...{ enabled: true, venues: ["paper", "mainnet"], symbols: ["BTC", "ETH"], sides: ["buy"] },
        ...{ sizes: { BTC: "0.05" }, notional_an_order: "500", notional_a_day: "2000", hours: [8, 20] },
      },
    },
  ],
];

export function TradingStories() {
  return (
    <>
      <h2 className="aside-visually">Trading</h2>
      {STATES.map(([key, trading]) => (
        <div key={key} data-state={key} className={css.plain}>
          <TradingSections trading={trading} />
        </div>
      ))}
    </>
  );
}
