/** The token that `./berth dev` prints stands behind `#` in the address: no server sees it there, and it does not stay. */
import { signInLocally } from "../api/berth.ts";
import { ApiError, Unreachable } from "../api/http.ts";

const MARK = "#token=";

/** Signs in with the token of the address, if it has one. Where that fails, the page shows that nobody is signed in. */
export async function enterByAddress(): Promise<void> {
  if (!location.hash.startsWith(MARK)) return;
  const token = decodeURIComponent(location.hash.slice(MARK.length));
  try {
    await signInLocally({ token });
  } catch (reason) {
    if (!(reason instanceof ApiError || reason instanceof Unreachable)) throw reason;
  } finally {
    history.replaceState(history.state, "", location.pathname + location.search);
  }
}
