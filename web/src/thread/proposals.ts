/** First things to try in an empty thread. Without a model they are commands, with one they are requests. */
import type { Dictionary } from "../i18n/text.ts";

export interface Proposal {
  readonly label: string;
  readonly text: string;
}

const SYSTEM = "$ . /etc/os-release; echo $PRETTY_NAME; python3 --version; nproc; df -h /workspace";
const STREAM = "$ for i in $(seq 1 10); do date; sleep 1; done";
const PLOT = [
  `$ python3 -c "import math; p=' '.join(f'{x},{60-50*math.sin(x/20):.1f}' for x in range(400));`,
  ` open('sine.svg','w').write(f'<svg xmlns=\\"http://www.w3.org/2000/svg\\" viewBox=\\"0 0 400 120\\">`,
  `<polyline fill=\\"none\\" stroke=\\"#2f62c9\\" stroke-width=\\"2\\" points=\\"{p}\\"/></svg>')"`,
  "\n/export sine.svg",
].join("");

export function proposals(manual: boolean, t: Dictionary): Proposal[] {
  const commands = [
    { label: t.trySystem, text: SYSTEM },
    { label: t.tryPython, text: PLOT },
    { label: t.tryStream, text: STREAM },
  ];
  return manual ? commands : commands.map(({ label }) => ({ label, text: label }));
}
