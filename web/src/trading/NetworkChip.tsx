/** Where something goes, unmistakable: a word for each network, and real money in its own colour. */
import { useText } from "../i18n/text.ts";
import css from "./NetworkChip.module.css";

export function NetworkChip({ network }: { network: string }) {
  const t = useText();
  const names: Record<string, string> = t.trading.networks;
  return (
    <span className={css.network} data-network={network}>
      {names[network] ?? network}
    </span>
  );
}
