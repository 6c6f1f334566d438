/** All keys of the page, and whether single ones count. */
import { useStore } from "zustand";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { Tick } from "../ui/Field.tsx";
import { Keys } from "../ui/Keys.tsx";
import { COMMANDS } from "./commands.ts";
import { choosePlainKeys, preferences } from "./preferences.ts";
import css from "./ShortcutsDialog.module.css";

const IN_THE_COMPOSER = ["Enter", "Shift+Enter", "Alt+Enter", "/", "@"] as const;

export default function ShortcutsDialog({ close }: { close: () => void }) {
  const t = useText();
  const plain = useStore(preferences, (all) => all.plainKeys);
  return (
    <Dialog title={t.pageCommands.shortcuts} close={close}>
      <DialogBody>
        <dl className={css.keys}>
          {COMMANDS.flatMap(({ id, keys }) =>
            keys === undefined
              ? []
              : [
                  <div key={id}>
                    <dt>{t.pageCommands[id]}</dt>
                    <dd>
                      <Keys keys={keys} />
                    </dd>
                  </div>,
                ],
          )}
        </dl>
        <h3 className={css.heading}>{t.message}</h3>
        <dl className={css.keys}>
          {IN_THE_COMPOSER.map((keys) => (
            <div key={keys}>
              <dt>{t.composerKeys[keys]}</dt>
              <dd>
                <Keys keys={keys} />
              </dd>
            </div>
          ))}
        </dl>
        <Tick label={t.plainKeys} ticked={plain} tick={choosePlainKeys} />
      </DialogBody>
      <DialogEnd>
        <Button look="primary" onClick={close}>
          {t.close}
        </Button>
      </DialogEnd>
    </Dialog>
  );
}
