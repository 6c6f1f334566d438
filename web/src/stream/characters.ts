/**
 * Characters as the server counts them: a code point each. JavaScript's own length counts those beyond the
 * basic plane (emoji, rare Chinese characters) twice, and would put every later offset out of place.
 */
const BEYOND_BASIC = /[\ud800-\udbff]/;

export function characterCount(text: string): number {
  if (!BEYOND_BASIC.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export function withoutFirst(text: string, characters: number): string {
  if (!BEYOND_BASIC.test(text)) return text.slice(characters);
  let at = 0;
  for (let left = characters; left > 0 && at < text.length; left--) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(at);
}
