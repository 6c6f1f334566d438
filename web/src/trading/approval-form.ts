/** What may be typed for the price bound and the time of an approval; the server has the same limits. */
export const PRICE_MOVE_MAX = 10;
export const EXPIRY_MINUTES_MIN = 1;
export const EXPIRY_MINUTES_MAX = 24 * 60;

const PERCENT = /^(0|[1-9][0-9]?)(\.[0-9]{1,2})?$/;
const WHOLE = /^[1-9][0-9]{0,3}$/;

/** Per cent as the API takes it, or null. */
export function priceMove(typed: string): string | null {
  const text = typed.trim();
  return PERCENT.test(text) && Number(text) > 0 && Number(text) <= PRICE_MOVE_MAX ? text : null;
}

export function expirySeconds(typedMinutes: string): number | null {
  const text = typedMinutes.trim();
  return WHOLE.test(text) && Number(text) <= EXPIRY_MINUTES_MAX ? Number(text) * 60 : null;
}
