/** What things cost here. A model without a price, or with a key of one's own, costs nothing. */
import type { PriceTable } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { dollars } from "../ui/format.ts";
import css from "./Usage.module.css";

// A price of a million tokens in dollars is the same number as one of a token in micro-dollars.
const MILLION = 1_000_000;
const EVERY_MODEL = "*";

export function PriceList({ prices }: { prices: PriceTable }) {
  const { text: t, locale } = useLanguage();
  const models = prices.models ?? [];
  return (
    <section className={css.prices} aria-label={t.prices}>
      <h3>{t.prices}</h3>
      <p>{t.priceOfComputer(dollars(prices.computer_micro_an_hour, locale, 3))}</p>
      {models.map((price) => (
        <p key={`${price.provider} ${price.model}`}>
          {t.priceOfModel(
            price.model === EVERY_MODEL ? price.provider : `${price.provider}: ${price.model}`,
            dollars(price.input * MILLION, locale, 2),
            dollars(price.output * MILLION, locale, 2),
          )}
        </p>
      ))}
      <p>{t.priceOfOthers}</p>
    </section>
  );
}
