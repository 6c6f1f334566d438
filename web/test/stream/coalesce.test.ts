import { describe, expect, it } from "vitest";
import { OutputCoalescer } from "../../src/stream/coalesce.ts";
import type { Tail } from "../../src/stream/tail.ts";
import { Rig } from "./rig.ts";

function rig() {
  const ports = new Rig();
  const writes: [string, Tail][] = [];
  const output = new OutputCoalescer(ports.frame, (id, tail) => writes.push([id, tail]));
  return { ports, writes, output };
}

describe("OutputCoalescer", () => {
  it("makes one write of ten thousand pieces in a frame", () => {
    const { ports, writes, output } = rig();
    for (let i = 0; i < 10_000; i++) output.push("c", i * 7, `line ${i % 10}\n`);
    ports.paint();
    expect(writes).toHaveLength(1);
    expect(writes[0]?.[1]).toMatchObject({ end: 70_000, lines: 10_000, missing: 0 });
  });

  it("asks for one frame, however many cards are written", () => {
    const { ports, writes, output } = rig();
    output.push("a", 0, "1");
    output.push("b", 0, "2");
    expect(ports.frames).toHaveLength(1);
    ports.paint();
    expect(writes.map(([id, tail]) => [id, tail.text])).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
  });

  it("writes nothing for pieces that are already shown", () => {
    const { ports, writes, output } = rig();
    output.push("c", 0, "abc");
    ports.paint();
    output.push("c", 0, "abc");
    ports.paint();
    expect(writes).toHaveLength(1);
  });

  it("joins the late joiner's tail with what follows", () => {
    const { ports, writes, output } = rig();
    output.push("c", 10, "world");
    output.push("c", 15, "!");
    ports.paint();
    expect(writes[0]?.[1]).toMatchObject({ text: "world!", end: 16, missing: 10 });
  });

  it("forgets a command that is over", () => {
    const { ports, writes, output } = rig();
    output.push("c", 0, "abc");
    output.drop("c");
    ports.paint();
    expect(writes).toEqual([]);
  });
});
