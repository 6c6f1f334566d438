/** The settings of notices with nothing left out: what the server does not name has its default. */
import type { ChannelChoice, NoticeChannel, NoticeKind, NoticeSettings, QuietHours } from "../contracts.ts";

export const KINDS = ["approval", "input", "failure", "allowance", "routine"] as const satisfies NoticeKind[];

export type FullChoice = Required<ChannelChoice>;
export type FullSettings = Record<NoticeChannel, FullChoice> & {
  titles: boolean;
  while_open: boolean;
  quiet: QuietHours | null;
};

const whole = (choice: ChannelChoice | undefined): FullChoice => ({
  on: choice?.on ?? true,
  kinds: choice?.kinds ?? [...KINDS],
  quiet: choice?.quiet ?? true,
});

export function fullSettings(settings: NoticeSettings): FullSettings {
  return {
    push: whole(settings.push),
    webhook: whole(settings.webhook),
    email: whole(settings.email),
    titles: settings.titles ?? true,
    while_open: settings.while_open ?? false,
    quiet: settings.quiet ?? null,
  };
}

/** `22:05` of a minute of the day, as a field for times has it. */
export function clockOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** The minute of the day; null while it is being typed. */
export function minuteOf(clock: string): number | null {
  const found = /^(\d\d):(\d\d)/.exec(clock);
  return found === null ? null : Number(found[1]) * 60 + Number(found[2]);
}
