/** What the pretended computer prints: a few commands with the shapes that a card has to show. */

export interface Step {
  /** Pause before it, in milliseconds. */
  wait: number;
  text: string;
}

export interface Act {
  steps: Step[];
  exitCode: number;
  egress: { host: string; method: string; allowed: boolean; reason: string; count: number }[];
  leftovers: number;
  file: { name: string; media_type: string; content: string } | null;
}

const ESC = String.fromCharCode(27);
const line = (text: string, wait = 0): Step => ({ wait, text: `${text}\n` });

const CHART = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 240" width="640" height="240">',
  '<rect width="640" height="240" fill="#fff"/><path d="M40 200H620M40 20V200" stroke="#7c8798" fill="none"/>',
  '<polyline fill="none" stroke="#2f62c9" stroke-width="3" points="',
  Array.from({ length: 58 }, (_, i) => `${40 + i * 10},${110 - 70 * Math.sin(i / 6)}`).join(" "),
  '"/></svg>',
].join("");

function plain(steps: Step[], part: Partial<Act> = {}): Act {
  return { steps, exitCode: 0, egress: [], leftovers: 0, file: null, ...part };
}

const DENIED = "no rule allows this host; the computer reaches package registries only";

export function act(command: string): Act {
  const loop = /seq (\d+) (\d+).*sleep ([\d.]+)/.exec(command);
  if (loop !== null) {
    const [from, to, pause] = loop.slice(1).map(Number) as [number, number, number];
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    return plain(numbers.map((n) => line(`line ${n}`, n === from ? 0 : pause * 1000)));
  }
  const sleep = /sleep ([\d.]+)/.exec(command);
  if (sleep !== null) return plain([line("end", Number(sleep[1]) * 1000)]);
  if (command.startsWith("flood")) {
    const rows = Array.from({ length: 4000 }, (_, i) => line(`${i} ${"x".repeat(60)}`, i % 40 === 0 ? 2 : 0));
    return plain(rows);
  }
  if (command.startsWith("curl")) {
    const receipt = { host: "example.com", method: "GET", allowed: false, reason: DENIED, count: 1 };
    return plain([line("curl: (22) The requested URL returned error: 403")], {
      exitCode: 22,
      egress: [receipt],
    });
  }
  if (command.startsWith("pip")) {
    const receipt = { host: "registry.test", method: "GET", allowed: true, reason: "pip index", count: 4 };
    const bar = [20, 55, 100].map((n) => ({
      wait: 150,
      text: `\r  ${ESC}[32m${"━".repeat(n / 5)}${ESC}[0m ${n}%`,
    }));
    return plain([line("Collecting tabulate"), ...bar, line("\nSuccessfully installed tabulate")], {
      egress: [receipt],
    });
  }
  if (command.startsWith("pytest")) {
    const steps = [
      line("tests/test_z.py F."),
      line(`${ESC}[31mE   assert 2.31 < 2.0${ESC}[0m`, 200),
      line(`${ESC}[1m1 failed${ESC}[0m, 1 passed in 2.9s`),
    ];
    return plain(steps, { exitCode: 1, leftovers: 1 });
  }
  if (command.startsWith("plot")) {
    const file = { name: "funding-7d.svg", media_type: "image/svg+xml", content: CHART };
    return plain([line(`${ESC}[32mok${ESC}[0m wrote funding-7d.svg`)], { file });
  }
  if (command.startsWith("table")) {
    const rows = Array.from({ length: 40 }, (_, i) => `m${i},${(i * 0.013).toFixed(3)},${i * 1000}`);
    const content = ["market,mean,volume", ...rows].join("\n");
    return plain([line("wrote table.csv")], { file: { name: "table.csv", media_type: "text/csv", content } });
  }
  return plain([line(command.replace(/^echo /, ""))]);
}
