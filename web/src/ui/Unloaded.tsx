/** In place of the page where not even its words could be loaded: the same in each language, as none is here. */
import css from "./Boundary.module.css";

const SAID = [
  ["en", "Berth could not be loaded. Reload"],
  ["zh-Hans", "无法加载 Berth。重新加载"],
  ["zh-Hant", "無法載入 Berth。重新載入"],
] as const;

export function Unloaded() {
  return (
    <main className={css.page} data-broken="words">
      {SAID.map(([lang, text]) => (
        <a key={lang} lang={lang} href={location.pathname + location.search}>
          {text}
        </a>
      ))}
    </main>
  );
}
