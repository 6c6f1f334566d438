/**
 * A button that writes what is said. It is there where the browser can do that; what becomes of the sound is the
 * browser's affair, which the button says.
 */
import { Mic, MicOff } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import css from "./Composer.module.css";
import { heard, type Recognition, recognition, spoken } from "./speech.ts";

interface DictationProps {
  add: (text: string) => void;
  /** What is being understood, or why nothing is. */
  tell: (words: string | null) => void;
}

/** The person stopped, or said nothing for a while: no failure. */
const QUIET = new Set(["aborted", "no-speech"]);

export default function Dictation({ add, tell }: DictationProps) {
  const { text: t, locale } = useLanguage();
  const [listening, setListening] = useState(false);
  const running = useRef<Recognition | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = () => {
    const Maker = recognition();
    if (Maker === null) return;
    const one = new Maker();
    Object.assign(one, { lang: spoken(locale, navigator.languages), continuous: true, interimResults: true });
    let failed = false;
    one.onresult = (event) => {
      const { final, interim } = heard(event);
      if (final !== "") add(final);
      tell(interim === "" ? t.listening : interim);
    };
    one.onerror = ({ error }) => {
      failed = !QUIET.has(error);
      if (failed) tell(error === "not-allowed" ? t.microphoneDenied : t.dictationFailed);
    };
    one.onend = () => {
      if (running.current !== one) return;
      running.current = null;
      setListening(false);
      if (!failed) tell(null);
    };
    running.current = one;
    one.start();
    setListening(true);
    tell(t.listening);
  };

  const Icon = listening ? MicOff : Mic;
  return (
    <Button
      icon
      look="quiet"
      className={css.attach}
      aria-label={t.dictate}
      title={t.dictateAbout}
      aria-pressed={listening}
      onClick={() => (listening ? running.current?.stop() : start())}
    >
      <Icon size={18} aria-hidden="true" />
    </Button>
  );
}
