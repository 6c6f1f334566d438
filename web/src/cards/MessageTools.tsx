/**
 * What can be done with the words of a message: copy them, or quote them, and then what is selected of them. Who reads
 * may copy; a quotation goes into the composer, which only those have who may write.
 */

import { Quote } from "lucide-react";
import { useRef } from "react";
import { useMay } from "../app/rights.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { CopyButton } from "./CopyButton.tsx";

/** What is selected within the element, if anything is. */
function selectedIn(element: Element | null): string {
  const selection = getSelection();
  if (element === null || selection === null || selection.isCollapsed) return "";
  const inside = [selection.anchorNode, selection.focusNode].every((node) => element.contains(node));
  return inside ? selection.toString() : "";
}

export function MessageTools({ text, quote }: { text: string; quote: (text: string) => void }) {
  const t = useText();
  const button = useRef<HTMLButtonElement>(null);
  const may = useMay("chat");
  return (
    <>
      <CopyButton text={() => text} label={t.copyMessage} />
      {may && (
        <Button
          ref={button}
          icon
          look="quiet"
          aria-label={t.quote}
          // A press must not take the selection away.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => quote(selectedIn(button.current?.closest("[data-card]") ?? null) || text)}
        >
          <Quote size={14} aria-hidden="true" />
        </Button>
      )}
    </>
  );
}
