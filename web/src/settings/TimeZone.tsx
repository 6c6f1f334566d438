/** The zone in which the owner's days and hours are counted. It holds as soon as it is chosen. */
import { useState } from "react";
import { useStore } from "zustand";
import { changeOwner } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { directory } from "../app/directory.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { SelectField } from "../ui/Field.tsx";
import css from "./TimeZone.module.css";

const UTC = "UTC";

/** All zones of this browser, with the one that is set even where it does not know it. */
function zones(set: string): readonly { value: string; label: string }[] {
  const known = new Set([UTC, set, ...Intl.supportedValuesOf("timeZone")]);
  return [...known].map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }));
}

export function TimeZone() {
  const t = useText();
  const set = useStore(directory, (all) => all.owner?.time_zone ?? UTC);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const choose = (time_zone: string) => {
    setProblem(null);
    changeOwner({ time_zone }).then(
      (owner) => directory.setState({ owner }),
      (reason: unknown) => setProblem(problemOf(reason)),
    );
  };
  return (
    <div className={css.zone}>
      <SelectField
        label={t.timeZone}
        hint={t.timeZoneHint}
        value={set}
        choose={choose}
        options={zones(set)}
      />
      {set !== here && (
        <Button look="quiet" onClick={() => choose(here)}>
          {t.timeZoneHere(here.replaceAll("_", " "))}
        </Button>
      )}
      {problem !== null && <Problem problem={problem} />}
    </div>
  );
}
