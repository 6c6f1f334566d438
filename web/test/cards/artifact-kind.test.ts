import { describe, expect, it } from "vitest";
import { artifactKind, extension } from "../../src/cards/artifact-kind.ts";

describe("artifactKind", () => {
  it.each([
    ["image/png", "image"],
    ["image/svg+xml", "image"],
    ["image/svg+xml; charset=utf-8", "image"],
    ["IMAGE/JPEG", "image"],
    ["image/tiff", "other"],
    ["text/csv", "table"],
    ["text/plain", "text"],
    ["text/html", "page"],
    ["text/markdown", "markdown"],
    ["application/pdf", "document"],
    ["application/json", "text"],
    ["application/octet-stream", "other"],
    ["", "other"],
  ])("of %s is %s", (media_type, kind) => {
    expect(artifactKind({ media_type })).toBe(kind);
  });
});

describe("extension", () => {
  it.each([
    ["chart.svg", "SVG"],
    ["data.tar.gz", "GZ"],
    [".hidden", ""],
    ["README", ""],
    ["a.notanending", ""],
  ])("of %s is %s", (name, text) => {
    expect(extension(name)).toBe(text);
  });
});
