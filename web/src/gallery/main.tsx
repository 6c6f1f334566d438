/**
 * Every card in every state on one page, for looking at and for the accessibility check.
 *
 * `?theme=light|dark&locale=en|zh-Hans|zh-Hant` choose what the rest of the page lets a person choose.
 */
import "../ui/tokens.css";
import { createRoot } from "react-dom/client";
import { localeOf } from "../i18n/locale.ts";
import { LanguageProvider, loadText } from "../i18n/text.ts";
import { CardView } from "../thread/Row.tsx";
import { ComposingStories } from "./composing.tsx";
import { ComputerStories } from "./computer.tsx";
import { CARDS } from "./fixtures.ts";
import css from "./Gallery.module.css";
import { NoticeStories } from "./notices.tsx";
import { TradingStories } from "./trading.tsx";

const nothing = () => {};
const actions = {
  retry: nothing,
  discard: nothing,
  branch: async () => {},
  quote: nothing,
  resume: nothing,
  openBotSettings: nothing,
};

const asked = new URLSearchParams(location.search);
const locale = localeOf([asked.get("locale") ?? "en"]);
document.documentElement.dataset.theme = asked.get("theme") === "light" ? "light" : "dark";
document.documentElement.lang = locale;

const root = document.getElementById("root");
if (root === null) throw new Error("gallery.html has no #root");
const text = await loadText(locale);

createRoot(root).render(
  <LanguageProvider value={{ locale, text }}>
    <main className={css.gallery}>
      <h1 className="aside-visually">Cards</h1>
      {CARDS.map((card) => (
        <div key={card.key} data-state={card.key}>
          <CardView card={card} actions={actions} />
        </div>
      ))}
      <ComposingStories />
      <TradingStories />
      <NoticeStories />
      <ComputerStories />
    </main>
  </LanguageProvider>,
);
