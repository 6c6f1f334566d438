/**
 * The code of an invitation to a workspace, on its way from the link to the button that accepts it.
 *
 * It stands behind `#`, so no server sees it in an address; it is taken out of there and kept in this tab meanwhile,
 * since whoever is not signed in goes to do that first, maybe at a provider's.
 */
import { ofThisTab } from "../app/storage.ts";

export const JOIN = "/join";
const MARK = "berth.join";

export function codeToJoin(): string {
  const code = location.pathname === JOIN ? location.hash.slice(1) : "";
  if (code !== "") {
    ofThisTab.set(MARK, code);
    history.replaceState(history.state, "", JOIN);
  }
  return ofThisTab.get(MARK) ?? "";
}

export const forgetCode = (): void => ofThisTab.set(MARK, "");
