/** The pictures that a person attached, small and each as large as the window by a click. Their places are kept free. */

import { lazy, Suspense, useState } from "react";
import { uploadPreview } from "../api/berth.ts";
import type { Upload } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { visible } from "../ui/format.ts";
import css from "./SentPictures.module.css";

const Lightbox = lazy(() => import("../ui/Lightbox.tsx"));

function SentPicture({ upload }: { upload: Upload }) {
  const t = useText();
  const [large, setLarge] = useState(false);
  const [gone, setGone] = useState(false);
  const source = uploadPreview(upload.id);
  // Its name stands beside it, which is all there is where its bytes are no picture.
  if (gone) return null;
  return (
    <>
      <button
        type="button"
        className={css.picture}
        aria-label={`${t.openLarge}: ${visible(upload.name)}`}
        onClick={() => setLarge(true)}
      >
        <img
          src={source}
          alt={t.previewOf(visible(upload.name))}
          loading="lazy"
          decoding="async"
          onError={() => setGone(true)}
        />
      </button>
      <Suspense>
        {large && <Lightbox source={source} name={visible(upload.name)} close={() => setLarge(false)} />}
      </Suspense>
    </>
  );
}

export default function SentPictures({ pictures }: { pictures: readonly Upload[] }) {
  return (
    <div className={css.pictures}>
      {pictures.map((upload) => (
        <SentPicture key={upload.id} upload={upload} />
      ))}
    </div>
  );
}
