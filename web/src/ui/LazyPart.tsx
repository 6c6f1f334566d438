/**
 * Where a part of the page is shown that is loaded when it is needed. What cannot be loaded, as while the server is
 * down, leaves the rest of the page standing.
 */
import { type ReactNode, Suspense } from "react";
import { Boundary } from "./Boundary.tsx";

interface LazyPartProps {
  children: ReactNode;
  /** Shown while it is loaded. */
  fallback?: ReactNode;
  /** Shown in its place where it cannot be had and that is not worth a word; nothing, for null. */
  instead?: ReactNode;
  /** Of what lies above the page: closes it. */
  close?: () => void;
}

export function LazyPart({ children, fallback, instead, close }: LazyPartProps) {
  return (
    <Boundary around={close === undefined ? "part" : "above"} instead={instead} close={close}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </Boundary>
  );
}
