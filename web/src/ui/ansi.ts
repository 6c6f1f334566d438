/**
 * Terminal output as pieces of coloured text. It is data from an untrusted machine: whatever it holds ends as
 * text in spans, and of its control sequences only colours and overwritten lines mean anything here.
 */
import Anser from "anser";

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);

const TITLES_AND_LINKS = new RegExp(`${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?`, "g");
const CURSOR_AND_SCREEN = new RegExp(`${ESC}\\[[0-?]*[ -/]*[@-ln-~]`, "g");
const UNFINISHED = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*)?$`);
const OTHER_ESCAPES = new RegExp(`${ESC}[^\\[]`, "g");
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it takes out
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g;
const COLOURS = new RegExp(`${ESC}\\[[0-9;:]*m`, "g");

/** A line as it stands after its carriage returns: the last thing written over it. */
function overwritten(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((part) => part !== "") ?? "";
}

/** Lines with nothing left in them but text and colours. */
export function settledLines(text: string): string[] {
  const plain = text
    .replace(TITLES_AND_LINKS, "")
    .replace(CURSOR_AND_SCREEN, "")
    .replace(UNFINISHED, "")
    .replace(OTHER_ESCAPES, "")
    .replace(CONTROLS, "");
  const lines = plain.split("\n").map(overwritten);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export function withoutColours(line: string): string {
  return line.replace(COLOURS, "");
}

export interface Piece {
  readonly text: string;
  /** Names such as `red` or `bold`, which the style sheet knows. */
  readonly names: readonly string[];
  readonly colour: string | null;
  readonly background: string | null;
}

const FIRST_GREY = 232;

function paletteColour(index: number): string {
  if (index >= FIRST_GREY) {
    const level = 8 + (index - FIRST_GREY) * 10;
    return `${level}, ${level}, ${level}`;
  }
  const cube = index - 16;
  const step = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  return [step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)].join(", ");
}

function paint(colour: string | null, truecolour: string | null): { name?: string; rgb?: string } {
  if (!colour) return {};
  if (colour === "ansi-truecolor") return truecolour ? { rgb: truecolour } : {};
  const palette = /^ansi-palette-(\d+)$/.exec(colour);
  if (palette !== null) return { rgb: paletteColour(Number(palette[1])) };
  return { name: colour.replace("ansi-", "") };
}

export function pieces(text: string): Piece[] {
  return Anser.ansiToJson(text, { json: true, use_classes: true, remove_empty: true }).map((entry) => {
    const front = paint(entry.fg, entry.fg_truecolor);
    const back = paint(entry.bg, entry.bg_truecolor);
    const names = [...entry.decorations];
    return {
      text: entry.content,
      names: [
        ...names,
        ...(front.name === undefined ? [] : [front.name]),
        ...(back.name === undefined ? [] : [`on-${back.name}`]),
      ],
      colour: front.rgb ?? null,
      background: back.rgb ?? null,
    };
  });
}
