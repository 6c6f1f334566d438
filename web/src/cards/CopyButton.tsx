/** Copies a text and says so for a moment, on the button itself. */
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";

const SHOWN_MS = 1_500;

export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const t = useText();
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);

  // A page that is not served securely has no clipboard.
  if (!("clipboard" in navigator)) return null;
  return (
    <Button
      icon
      look="quiet"
      aria-label={copied ? t.copied : label}
      onClick={() => void navigator.clipboard.writeText(text()).then(() => setCopied(true))}
    >
      {copied ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
    </Button>
  );
}
