/** What a search found: hits that open their thread at the message. Loaded with the first search. */
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { search } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord, SearchHit, Thread } from "../contracts.ts";
import { useLanguage, useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { moment } from "../ui/format.ts";
import css from "./SearchResults.module.css";

const PAUSE_MS = 200;

interface Found {
  readonly query: string;
  readonly hits: readonly SearchHit[];
  readonly more: boolean;
  readonly leftOut: number;
  readonly problem: ProblemRecord | "unreachable" | null;
}

const NOTHING: Found = { query: "", hits: [], more: false, leftOut: 0, problem: null };

/** What was found for the query; an answer to an older one is not taken. */
function useFound(query: string): [Found, () => void] {
  const [found, setFound] = useState(NOTHING);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      search(query).then(
        ({ items, more, words_left_out: leftOut = 0 }) =>
          current && setFound({ query, hits: items, more, leftOut, problem: null }),
        (reason: unknown) => current && setFound({ ...NOTHING, query, problem: problemOf(reason) }),
      );
    }, PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [query]);
  const goOn = () => {
    search(query, found.hits.at(-1)?.id).then(
      (page) =>
        setFound((now) =>
          now.query === query ? { ...now, hits: [...now.hits, ...page.items], more: page.more } : now,
        ),
      (reason: unknown) => setFound((now) => ({ ...now, problem: problemOf(reason) })),
    );
  };
  return [found, goOn];
}

function Hit({ hit, chosen }: { hit: SearchHit; chosen: () => void }) {
  const { text: t, locale } = useLanguage();
  const now = useNow(false);
  const card = encodeURIComponent(hit.client_id ?? hit.message_id);
  return (
    <li>
      <Link href={`/t/${hit.thread_id}?at=${card}`} className={css.hit} onClick={chosen}>
        <span className={css.title}>{hit.title || t.untitled}</span>
        <span className={css.snippet}>
          {hit.snippet.map((part, place) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a snippet never change
            part.hit ? <mark key={place}>{part.text}</mark> : <span key={place}>{part.text}</span>,
          )}
        </span>
        <span className={css.when}>{moment(hit.at_ms, now, locale)}</span>
      </Link>
    </li>
  );
}

interface ResultsProps {
  query: string;
  threads: readonly Thread[];
  chosen: () => void;
}

export default function SearchResults({ query, threads, chosen }: ResultsProps) {
  const t = useText();
  const [found, goOn] = useFound(query);
  const named = threads.filter((one) => one.title.toLowerCase().includes(query.toLowerCase()));
  const arrived = found.query === query;
  return (
    <section aria-label={t.searchResults}>
      <p role="status" className={css.count}>
        {arrived && found.problem === null && t.searchFound(found.hits.length, found.more)}
        {arrived && found.leftOut > 0 && ` · ${t.searchWordsLeftOut(found.leftOut)}`}
      </p>
      {found.problem !== null && <Problem problem={found.problem} />}
      <ul>
        {named.map((thread) => (
          <li key={thread.id}>
            <Link href={`/t/${thread.id}`} className={css.hit} onClick={chosen}>
              <span className={css.title}>{thread.title}</span>
            </Link>
          </li>
        ))}
        {found.hits.map((hit) => (
          <Hit key={hit.id} hit={hit} chosen={chosen} />
        ))}
      </ul>
      {found.more && <Button onClick={goOn}>{t.searchMore}</Button>}
    </section>
  );
}
