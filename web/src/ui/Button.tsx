/** The page's one button. `icon` makes it a square whose label is read out and shown as a tooltip. */
import clsx from "clsx";
import type { ComponentProps } from "react";
import css from "./Button.module.css";

export interface ButtonProps extends ComponentProps<"button"> {
  look?: "primary" | "outline" | "quiet" | "danger";
  icon?: boolean;
}

export function Button({ look = "outline", icon = false, className, type = "button", ...rest }: ButtonProps) {
  const title = icon ? (rest.title ?? rest["aria-label"]) : rest.title;
  return (
    <button
      {...rest}
      type={type}
      title={title}
      className={clsx(css.button, css[look], icon && css.icon, className)}
    />
  );
}
