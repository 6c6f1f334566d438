/**
 * Opens a terminal under the page's policy, which allows no style that stands in the page itself. xterm.js 6.0 writes
 * its colours and sizes into `<style>` elements and `style` attributes. Here the first become sheets that the script
 * adopts and the second properties: the same look, and the policy stays as strict as it is.
 */
import type { Terminal } from "@xterm/xterm";

/** As the document itself makes them, whatever stands in for that at the moment. */
const create = (name: string): HTMLElement => Document.prototype.createElement.call(document, name);

/** An element that looks to its maker like `<style>`. */
function sheetElement(): HTMLElement {
  const element = create("span");
  element.hidden = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const remove = element.remove.bind(element);
  Object.defineProperty(element, "textContent", { set: (css: string) => sheet.replaceSync(css) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    remove();
  };
  return element;
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

function createElement(name: string): HTMLElement {
  if (name === "style") return sheetElement();
  const element = create(name);
  if (name === "span") element.setAttribute = setAttribute;
  return element;
}

/** What makes the cells of a row, which no option reaches. The version is pinned, and a test watches the policy. */
interface Inside {
  readonly _core: {
    readonly _renderService: {
      readonly _renderer: { readonly value: { readonly _rowFactory: { _document: unknown } } };
    };
  };
}

export function openUnderPolicy(terminal: Terminal, box: HTMLElement): void {
  // It makes its `<style>` elements while it opens, and does not wait in between.
  document.createElement = createElement as typeof document.createElement;
  try {
    terminal.open(box);
  } finally {
    Reflect.deleteProperty(document, "createElement");
  }
  const { _core } = terminal as unknown as Inside;
  _core._renderService._renderer.value._rowFactory._document = { createElement };
}
