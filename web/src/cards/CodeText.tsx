/** A source text with line numbers, in the colours of its language where that is known. */

import css from "./Code.module.css";
import { CodeLine } from "./CodeLine.tsx";
import { useCodeLines } from "./code-lines.ts";
import { scrollable } from "./Output.tsx";

interface CodeTextProps {
  text: string;
  name: string;
  label: string;
}

export default function CodeText({ text, name, label }: CodeTextProps) {
  const plain = text.replace(/\n$/, "");
  const [lines] = useCodeLines([plain], name);
  return (
    <pre className={css.code} {...scrollable(label)}>
      <code>
        {plain.split("\n").map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <span key={index} className={css.line} data-line={index + 1}>
            <CodeLine text={line} pieces={lines?.[index] ?? null} />
            {"\n"}
          </span>
        ))}
      </code>
    </pre>
  );
}
