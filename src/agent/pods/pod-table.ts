/** The first step for a Pod that the agent sees: what is wanted of it × what runs of it. */
import type { Pod } from '../../kube/client/builtin-resources.ts';

/** `fresh`: no agent took the Pod up. `begun`: an earlier agent did. `finished`: its phase is final. */
type Wanted = 'fresh' | 'begun' | 'finished';
type Actual = 'known' | 'unknown';
export type FirstStep = 'run' | 'resume' | 'fail' | 'await-removal';

const table: Readonly<Record<Wanted, Readonly<Record<Actual, FirstStep>>>> = {
  // A known sandbox of a fresh Pod: the agent died before it stored that it took the Pod up.
  fresh: { unknown: 'run', known: 'resume' },
  // How the containers of a begun Pod ended is lost with its sandbox, and a second start could double a job.
  begun: { unknown: 'fail', known: 'resume' },
  finished: { unknown: 'await-removal', known: 'await-removal' },
};

const finishedPhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

export function firstStep(pod: Pod, isKnownToDriver: boolean): FirstStep {
  return table[wantedOf(pod)][isKnownToDriver ? 'known' : 'unknown'];
}

function wantedOf({ status = {} }: Pod): Wanted {
  if (finishedPhases.has(status.phase ?? '')) return 'finished';
  return status.startTime === undefined ? 'fresh' : 'begun';
}
