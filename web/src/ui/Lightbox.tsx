/** A picture as large as the window. */
import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useText } from "../i18n/text.ts";
import { Button } from "./Button.tsx";
import css from "./Overlay.module.css";

export default function Lightbox({
  source,
  name,
  close,
}: {
  source: string;
  name: string;
  close: () => void;
}) {
  const t = useText();
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className={`${css.shade} ${css.dark}`} />
        <Base.Popup className={css.lightbox}>
          <div className={css.lightboxHead}>
            <Base.Title>{name}</Base.Title>
            <Button icon look="quiet" aria-label={t.close} onClick={close}>
              <X size={18} aria-hidden="true" />
            </Button>
          </div>
          <figure>
            <img src={source} alt={t.previewOf(name)} />
          </figure>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
