/** Where one types what is looked for; Escape gives the threads back. */
import { Search as Glass } from "lucide-react";
import { useText } from "../i18n/text.ts";
import css from "./SearchField.module.css";

const QUERY_CHARACTERS_MAX = 200;

export function SearchField({ query, change }: { query: string; change: (query: string) => void }) {
  const t = useText();
  return (
    <search className={css.field}>
      <Glass size={15} aria-hidden="true" />
      <input
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        value={query}
        maxLength={QUERY_CHARACTERS_MAX}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && change("")}
      />
    </search>
  );
}
