/** In the place of a workspace that the person does not belong to, or not any more. */
import { useText } from "../i18n/text.ts";
import { Choosers } from "../rail/Choosers.tsx";
import { Head } from "../sign-in/Head.tsx";
import css from "../sign-in/SignIn.module.css";
import { Button } from "../ui/Button.tsx";

export default function GonePage({ removed }: { removed: boolean }) {
  const { members: t } = useText();
  return (
    <div className={css.page}>
      <div className={css.top}>
        <Choosers />
      </div>
      <main className={css.middle}>
        <Head title={removed ? t.removed : t.gone} about={removed ? t.removedAbout : t.goneAbout} />
        <div className={css.ways}>
          <Button look="primary" onClick={() => location.assign("/")}>
            {t.toOwn}
          </Button>
        </div>
      </main>
    </div>
  );
}
