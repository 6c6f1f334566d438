/** How an artifact can be shown. An SVG only ever as an image, so that nothing in it runs. */
import type { Artifact } from "../contracts.ts";

export type ArtifactKind = "image" | "table" | "markdown" | "page" | "text" | "document" | "other";

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"]);
const TABLES = new Set(["text/csv", "text/tab-separated-values"]);
const TEXTS = new Set(["application/json", "application/x-ndjson", "application/yaml", "application/toml"]);

export function artifactKind({ media_type }: Pick<Artifact, "media_type">): ArtifactKind {
  const type = media_type.split(";")[0]?.trim().toLowerCase() ?? "";
  if (IMAGES.has(type)) return "image";
  if (TABLES.has(type)) return "table";
  if (type === "text/markdown") return "markdown";
  if (type === "text/html") return "page";
  if (type === "application/pdf") return "document";
  if (type.startsWith("text/") || TEXTS.has(type)) return "text";
  return "other";
}

const KINDS: Readonly<Record<string, ArtifactKind>> = {
  png: "image",
  jpg: "image",
  jpeg: "image",
  gif: "image",
  webp: "image",
  svg: "image",
  csv: "table",
  tsv: "table",
  md: "markdown",
};

/** The same of a file of which only the name is known; what has another name is looked at as text. */
export function kindOfName(name: string): ArtifactKind {
  return KINDS[extension(name).toLowerCase()] ?? "text";
}

export function extension(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 && name.length - dot <= 6 ? name.slice(dot + 1).toUpperCase() : "";
}
