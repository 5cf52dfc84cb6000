/** The report of a finding: the sequence as requests, the differing answers, and the command to repeat it. */
import type { Result } from './search.ts';
import { kinds } from './kinds.ts';
import type { Step } from './step.ts';

export interface Reported {
  readonly seed: number;
  readonly seconds: number;
}

export function summary({ runs, compared, differing }: Result, { seconds }: Reported): string {
  return `${runs} sequences, ${compared} answers compared, ${seconds.toFixed(1)} s, ${differing} differences`;
}

export function replayCommand(path: string, seed: number): string {
  return `npm run fuzz:api -- --seed ${seed} --path ${path}`;
}

export function report(result: Result, reported: Reported): string {
  const { finding } = result;
  if (finding === undefined) return summary(result, reported);
  const { steps, difference, path } = finding;
  const where =
    difference.step === 'end' ? difference.what : `step ${difference.step + 1} (${difference.what})`;
  return [
    'The embedded server and the real one part in this sequence:',
    ...steps.map((step, index) => `  ${index + 1}. ${requestOf(step)}`),
    `They part at ${where}:`,
    ...difference.at.flatMap(({ path: at, embedded, real }) => [
      `  ${at === '' ? '(everything)' : at}`,
      `    embedded: ${embedded}`,
      `    real:     ${real}`,
    ]),
    `seed ${reported.seed}, path ${path}; again with:`,
    `  ${replayCommand(path, reported.seed)}`,
    summary(result, reported),
  ].join('\n');
}

export function requestOf(step: Step): string {
  const asked = new URLSearchParams(step.query).toString();
  const words = [
    step.verb,
    'type' in step ? step.type : '',
    `${placeOf(step)}${asked === '' ? '' : `?${decodeURIComponent(asked)}`}`,
    step.place === 'other' ? 'in another namespace' : '',
    step.verb === 'create' ? `name ${step.name ?? 'generated'}` : '',
    bodyOf(step),
  ];
  return words.filter((word) => word !== '').join(' ');
}

function placeOf(step: Step): string {
  const { plural, version } = kinds[step.kind].resource;
  const shown = version === 'v1' ? plural : `${plural} (${version})`;
  if (step.verb === 'create' || !('name' in step)) return shown;
  const part = 'part' in step && step.part !== 'main' ? [step.part] : [];
  return [shown, step.name, ...part].join('/');
}

function bodyOf(step: Step): string {
  if (step.verb === 'put')
    return `${step.over === 'seen' ? 'what was last seen, with ' : ''}${JSON.stringify(step.body)}`;
  if ('body' in step) return JSON.stringify(step.body);
  return 'options' in step ? JSON.stringify(step.options) : '';
}
