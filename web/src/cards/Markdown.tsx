/**
 * Markdown of the bot, which is text from outside: sanitised, links only to the web and without a referrer,
 * and no picture is loaded from anywhere, since its address alone could carry a secret away.
 */
import { ImageOff } from "lucide-react";
import { type ComponentProps, useRef } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { useText } from "../i18n/text.ts";
import { CopyButton } from "./CopyButton.tsx";
import css from "./Markdown.module.css";
import { scrollable } from "./Output.tsx";

const WEB = /^(https?|mailto):/i;

function Link({ href, children }: ComponentProps<"a">) {
  if (href === undefined || !WEB.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function hostOf(address: string): string {
  try {
    return new URL(address, "http://unknown.invalid").hostname;
  } catch (reason) {
    if (reason instanceof TypeError) return "?";
    throw reason;
  }
}

function Picture({ src, alt }: ComponentProps<"img">) {
  const t = useText();
  const address = typeof src === "string" ? src : "";
  return (
    <span className={css.picture} title={address}>
      <ImageOff size={14} aria-hidden="true" />
      {alt ? `${alt} · ` : ""}
      {t.imageLeftOut(hostOf(address))}
    </span>
  );
}

function Table({ children }: ComponentProps<"table">) {
  return (
    <div className={css.scroll}>
      <table>{children}</table>
    </div>
  );
}

/** A block of code with a way to take it along; what is copied is what is shown. */
function Code({ children }: ComponentProps<"pre">) {
  const t = useText();
  const block = useRef<HTMLPreElement>(null);
  return (
    <div className={css.code}>
      <pre ref={block} {...scrollable(t.code)}>
        {children}
      </pre>
      <span className={css.copy}>
        <CopyButton text={() => block.current?.textContent ?? ""} label={t.copyCode} />
      </span>
    </div>
  );
}

const components: Components = { a: Link, img: Picture, table: Table, pre: Code };

export default function Markdown({ text }: { text: string }) {
  return (
    <div className={css.markdown}>
      <ReactMarkdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
