/** A combination of keys, as it stands on this person's keyboard. */
import { isMac, written } from "../app/shortcuts.ts";
import css from "./Keys.module.css";

export function Keys({ keys }: { keys: string }) {
  return (
    <span className={css.keys}>
      {written(keys, isMac()).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
