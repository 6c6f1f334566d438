/** What stands where an answer is not there yet, or did not come. */
import card from "../cards/Card.module.css";
import { Problem } from "../cards/Problem.tsx";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import type { Trouble } from "./asked.ts";

export function Waiting({ trouble, again }: { trouble: Trouble; again: () => void }) {
  const t = useText();
  if (trouble === null) return <p role="status">{t.loading}</p>;
  return (
    <div className={card.card}>
      <Problem problem={trouble}>
        <Button onClick={again}>{t.retry}</Button>
      </Problem>
    </div>
  );
}
