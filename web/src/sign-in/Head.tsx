/** The beginning of each step, which is read out when it comes. */
import { useEffect, useRef } from "react";
import css from "./SignIn.module.css";

export function Head({ title, about }: { title: string; about?: string | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Berth`;
    if (navigator.userActivation.hasBeenActive) heading.current?.focus();
  }, [title]);
  return (
    <header className={css.head}>
      <img src="/icon.svg" alt="" width={48} height={48} />
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {about !== undefined && <p>{about}</p>}
    </header>
  );
}
