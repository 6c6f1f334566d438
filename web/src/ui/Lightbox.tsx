/** A picture as large as the window, and larger: by buttons, the wheel, the keys + and −, moved by dragging or scrolling. */
import { Dialog as Base } from "@base-ui/react/dialog";
import { Maximize, X, ZoomIn, ZoomOut } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useRef, useState, type WheelEvent } from "react";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "./Button.tsx";
import { percent } from "./format.ts";
import css from "./Overlay.module.css";

const STEP = 1.5;
const MOST = 8;

interface LightboxProps {
  source: string;
  name: string;
  close: () => void;
}

export default function Lightbox({ source, name, close }: LightboxProps) {
  const { text: t, locale } = useLanguage();
  const [scale, setScale] = useState(1);
  const box = useRef<HTMLElement>(null);
  const zoom = (by: number) => setScale((now) => Math.min(MOST, Math.max(1, now * by)));
  const keys = (event: KeyboardEvent) => {
    if (event.key === "+" || event.key === "=") zoom(STEP);
    if (event.key === "-") zoom(1 / STEP);
    if (event.key === "0") setScale(1);
  };
  const wheel = (event: WheelEvent) => {
    if (event.ctrlKey || scale === 1) zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
  };
  const drag = (event: PointerEvent) => {
    if (event.buttons !== 1 || event.pointerType !== "mouse" || box.current === null) return;
    box.current.scrollBy(-event.movementX, -event.movementY);
  };
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className={`${css.shade} ${css.dark}`} />
        <Base.Popup className={css.lightbox} onKeyDown={keys}>
          <div className={css.lightboxHead}>
            <Base.Title>{name}</Base.Title>
            <span className={css.zoom}>
              <span role="status">{percent(scale, locale)}</span>
              <Button
                icon
                look="quiet"
                aria-label={t.smaller}
                disabled={scale === 1}
                onClick={() => zoom(1 / STEP)}
              >
                <ZoomOut size={18} aria-hidden="true" />
              </Button>
              <Button
                icon
                look="quiet"
                aria-label={t.larger}
                disabled={scale === MOST}
                onClick={() => zoom(STEP)}
              >
                <ZoomIn size={18} aria-hidden="true" />
              </Button>
              <Button
                icon
                look="quiet"
                aria-label={t.wholePicture}
                disabled={scale === 1}
                onClick={() => setScale(1)}
              >
                <Maximize size={18} aria-hidden="true" />
              </Button>
              <Button icon look="quiet" aria-label={t.close} onClick={close}>
                <X size={18} aria-hidden="true" />
              </Button>
            </span>
          </div>
          <figure ref={box} onWheel={wheel} onPointerMove={drag} data-zoomed={scale > 1 || undefined}>
            <img
              src={source}
              alt={t.previewOf(name)}
              draggable={false}
              style={
                scale === 1 ? undefined : { width: `${scale * 100}%`, maxWidth: "none", maxHeight: "none" }
              }
            />
          </figure>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
