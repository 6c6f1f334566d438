/** Which model of its provider the next message is for, and how hard it shall think. The bot's own stay as they are. */
import { Popover as Base } from "@base-ui/react/popover";
import { type RefObject, useId } from "react";
import { useStore } from "zustand";
import { directory } from "../app/directory.ts";
import type { Bot } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Field, SelectField } from "../ui/Field.tsx";
import overlay from "../ui/Overlay.module.css";
import css from "./Composer.module.css";
import { type Choice, MODEL_NAME_MAX, modelsOf } from "./message-model.ts";

interface MessageModelProps {
  bot: Bot;
  anchor: RefObject<HTMLElement | null>;
  choice: Choice;
  change: (choice: Choice) => void;
  close: () => void;
}

export default function MessageModel({ bot, anchor, choice, change, close }: MessageModelProps) {
  const t = useText();
  const bots = useStore(directory, (all) => all.bots);
  const list = useId();
  const own = bot.model.effort;
  const efforts = [
    { value: "none" as const, label: t.effortOfBot(t.efforts[own ?? "none"]) },
    ...(["low", "medium", "high"] as const).map((value) => ({ value, label: t.efforts[value] })),
  ];
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} side="top" sideOffset={8} collisionPadding={8} align="start">
          <Base.Popup className={`${overlay.menu} ${overlay.panel}`} finalFocus={anchor}>
            <Base.Title className={overlay.panelTitle}>{t.pageCommands.model}</Base.Title>
            <form
              className={css.model}
              onSubmit={(event) => {
                event.preventDefault();
                close();
              }}
            >
              <Field
                label={t.modelName}
                value={choice.model ?? ""}
                placeholder={bot.model.model}
                maxLength={MODEL_NAME_MAX}
                list={list}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => change({ ...choice, model: event.target.value.trim() || null })}
              />
              <datalist id={list}>
                {modelsOf(bot, bots ?? []).map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
              <SelectField
                label={t.effort}
                hint={t.messageModelHint}
                value={choice.effort ?? "none"}
                options={efforts}
                choose={(effort) => change({ ...choice, effort: effort === "none" ? null : effort })}
              />
              <Button type="submit" look="primary">
                {t.done}
              </Button>
            </form>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
