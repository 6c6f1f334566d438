/** Paths of the computer's files as people use them: the last name, the folder above, how a bot is told of one. */

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** A path of a call as the files have it. */
export const fromWorkspace = (path: string): string =>
  path.replace(/^\/workspace\/+/, "").replace(/^(?:\.\/+)+/, "");

export const within = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

/** A name with a space or a quote in it is quoted, so that its end is plain. */
export const mention = (path: string): string =>
  /^[^\s"'`]+$/.test(path) ? `@${path} ` : `@${JSON.stringify(path)} `;

/** Why a new name cannot be one, if it cannot. */
export function wrongName(name: string): "empty" | "dots" | null {
  const parts = name.split("/").map((part) => part.trim());
  if (parts.every((part) => part === "")) return "empty";
  return parts.some((part) => part === "." || part === "..") ? "dots" : null;
}
