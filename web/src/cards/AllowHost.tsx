/** Opens a host that a command was or would be denied: one tap asks, a second one after the warning does it. */

import { lazy, useState } from "react";
import { useMay } from "../app/rights.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./Card.module.css";

const AllowDialog = lazy(() => import("./AllowDialog.tsx"));

export function AllowHost({ host, done }: { host: string; done?: () => void }) {
  const t = useText();
  const may = useMay("manage");
  const [state, setState] = useState<"closed" | "asking" | "allowed">("closed");
  if (!may) return null;
  if (state === "allowed") return <span className={css.reason}>{t.allowedFromNext}</span>;
  return (
    <>
      <Button look="quiet" onClick={() => setState("asking")}>
        {t.allowEllipsis}
      </Button>
      {state === "asking" && (
        <LazyPart close={() => setState("closed")}>
          <AllowDialog
            host={host}
            close={() => setState("closed")}
            done={() => {
              setState("allowed");
              done?.();
            }}
          />
        </LazyPart>
      )}
    </>
  );
}
