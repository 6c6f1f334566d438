/**
 * Writes src/contracts.ts from the Python models, so that the wire is defined once.
 *
 * `python -m contracts.schema` prints the JSON schema, which is trimmed to what types can say.
 * `generated()` is also what the staleness test calls.
 */
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compile, type JSONSchema } from "json-schema-to-typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = fileURLToPath(new URL("../src/contracts.ts", import.meta.url));

const banner = `/**
 * What the server and this page exchange.
 * Generated from contracts/ by \`npm run generate -w web\`; do not edit.
 */`;

type Schema = { [key: string]: unknown };

// A field's title would become a type alias of its own, and a default beside a reference a second type.
const beyondTypes = ["title", "default", "maxItems", "minItems", "maxLength", "minLength", "pattern"];

function python(): string {
  const own = `${root}.berth/venv/bin/python`;
  return process.env.BERTH_PYTHON ?? (existsSync(own) ? own : "python3");
}

function field(schema: Schema): Schema {
  const entries = Object.entries(schema).filter(([key]) => !beyondTypes.includes(key));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (key === "items") return [key, field(value as Schema)];
      if (key === "anyOf") return [key, (value as Schema[]).map(field)];
      return [key, value];
    }),
  );
}

/** A constant that names the kind of a record is always sent, so the type may rely on it. */
function model(schema: Schema): Schema {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  if (properties.length === 0) return schema;
  const constant = properties.filter(([, value]) => "const" in value).map(([name]) => name);
  return {
    ...schema,
    properties: Object.fromEntries(properties.map(([name, value]) => [name, field(value)])),
    required: [...((schema.required ?? []) as string[]), ...constant],
  };
}

export async function generated(): Promise<string> {
  const printed = execFileSync(python(), ["-m", "contracts.schema"], { cwd: root, encoding: "utf8" });
  const { $defs, ...top } = JSON.parse(printed) as Schema;
  const definitions = Object.entries($defs as Record<string, Schema>).map(([name, one]) => [
    name,
    model(one),
  ]);
  const trimmed = { ...model(top), $defs: Object.fromEntries(definitions) } as JSONSchema;
  return await compile(trimmed, "Everything", {
    bannerComment: banner,
    additionalProperties: false,
    style: { printWidth: 110 },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, await generated());
