/**
 * A terminal for reading. What it is fed comes from an untrusted machine: nothing is answered to it, and of its control
 * sequences those that would change more than the text are not obeyed.
 */
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { type ITheme, Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { openLink } from "./terminal-links.ts";

/** Lines that can be scrolled back to; a longer log is there whole as a file. */
export const SCROLLBACK = 100_000;

const HYPERLINK = 8;
const CLIPBOARD = 52;
const ERASE_HISTORY = 3;

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan"] as const;

const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The page's own colours, as they are at this moment. */
export function themeNow(): ITheme {
  const theme: ITheme = {
    background: token("--terminal"),
    foreground: token("--text-2"),
    cursor: token("--terminal"),
    selectionBackground: `${token("--accent-fill")}66`,
    white: token("--ansi-white"),
    brightWhite: token("--ansi-bright"),
    scrollbarSliderBackground: `${token("--edge")}55`,
    scrollbarSliderHoverBackground: `${token("--edge")}88`,
    scrollbarSliderActiveBackground: `${token("--edge")}aa`,
  };
  for (const name of COLOURS) {
    const colour = token(`--ansi-${name}`);
    theme[name] = colour;
    theme[`bright${name[0]?.toUpperCase()}${name.slice(1)}` as "brightRed"] = colour;
  }
  return theme;
}

/** Modes of the screen (another one, the mouse, bracketed paste), titles, links that hide where they lead. */
function disarm(terminal: Terminal): void {
  const { parser } = terminal;
  const ignore = () => true;
  for (const final of ["h", "l"]) parser.registerCsiHandler({ prefix: "?", final }, ignore);
  parser.registerCsiHandler({ final: "J" }, (parameters) => parameters[0] === ERASE_HISTORY);
  parser.registerEscHandler({ final: "c" }, ignore);
  for (const number of [HYPERLINK, CLIPBOARD]) parser.registerOscHandler(number, ignore);
}

export interface MadeTerminal {
  readonly terminal: Terminal;
  readonly fit: FitAddon;
  readonly search: SearchAddon;
}

export function makeTerminal(): MadeTerminal {
  const terminal = new Terminal({
    // Widths of characters and places of what was found.
    allowProposedApi: true,
    convertEol: true,
    cursorInactiveStyle: "none",
    disableStdin: true,
    fontFamily: token("--mono"),
    fontSize: 12,
    lineHeight: 1.35,
    minimumContrastRatio: 4.5,
    scrollback: SCROLLBACK,
    theme: themeNow(),
  });
  const [fit, search] = [new FitAddon(), new SearchAddon()];
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  terminal.loadAddon(new WebLinksAddon(openLink));
  disarm(terminal);
  scrollByKeys(terminal);
  return { terminal, fit, search };
}

const page = (terminal: Terminal) => terminal.rows - 1;

const SCROLLS = new Map<string, (terminal: Terminal) => void>([
  ["ArrowUp", (terminal) => terminal.scrollLines(-1)],
  ["ArrowDown", (terminal) => terminal.scrollLines(1)],
  ["PageUp", (terminal) => terminal.scrollLines(-page(terminal))],
  ["PageDown", (terminal) => terminal.scrollLines(page(terminal))],
  ["Home", (terminal) => terminal.scrollToTop()],
  ["End", (terminal) => terminal.scrollToBottom()],
]);

/** Nothing that is typed goes anywhere: keys scroll, and all others are left to the browser. */
function scrollByKeys(terminal: Terminal): void {
  terminal.attachCustomKeyEventHandler((event) => {
    const scroll = event.type === "keydown" ? SCROLLS.get(event.key) : undefined;
    if (scroll !== undefined) {
      event.preventDefault();
      scroll(terminal);
    }
    return false;
  });
}
