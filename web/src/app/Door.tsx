/** Inside or outside: the page itself, or what lets somebody in. */

import { lazy, useEffect } from "react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { JOIN } from "../members/joining.ts";
import { PATHS, useOutside } from "../sign-in/standing.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import { App } from "./App.tsx";
import { directory } from "./directory.ts";

const GonePage = lazy(() => import("../members/GonePage.tsx"));
const JoinPage = lazy(() => import("../members/JoinPage.tsx"));
const LeavingPage = lazy(() => import("../leaving/LeavingPage.tsx"));
const SignInPage = lazy(() => import("../sign-in/SignInPage.tsx"));

export function Door() {
  const outside = useOutside();
  const known = useStore(directory, (all) => all.owner !== null);
  const outsider = useStore(directory, (all) => all.outside);
  const [at, navigate] = useLocation();
  const lost = !outside && known && PATHS.includes(at);
  useEffect(() => {
    if (lost) navigate("/", { replace: true });
  }, [lost, navigate]);
  const leaving = useStore(directory, (all) => all.owner?.deletion_ms ?? null);
  if (!outside && outsider === null && at !== JOIN && leaving === null) return <App />;
  return (
    <LazyPart>
      {outside ? (
        <SignInPage />
      ) : outsider !== null ? (
        <GonePage removed={outsider === "removed"} />
      ) : at === JOIN ? (
        known && <JoinPage />
      ) : (
        leaving !== null && <LeavingPage at={leaving} />
      )}
    </LazyPart>
  );
}
