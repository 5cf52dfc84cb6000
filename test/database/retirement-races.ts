/** A claim and a retirement of the same Pod that meet on two connections: one of them has the Pod, never both. */
import { expect } from 'vitest';
import { draft, type Stage } from '../../src/dispatch/store/contract/stage.ts';
import { isFleetError } from '../../src/errors/fleet-error.ts';
import type { Fault, FaultStand } from './fault-stand.ts';

type Verb = (stage: Stage, pod: string) => Promise<string | undefined>;

const claim: Verb = async (stage, pod) => {
  const [answer] = await stage.ask([pod]);
  return answer?.kind === 'taken' ? answer.why : answer?.kind;
};
const retire: Verb = async (stage, pod) => stage.retire(pod);

interface Race {
  /** Stops the first verb after it has looked at what is there, and before it writes. */
  readonly hold: (stand: FaultStand) => Promise<unknown>;
  readonly first: Verb;
  readonly second: Verb;
}

/** What they say, each about the same Pod; the second one comes while the first is held. */
async function answersOf(stand: FaultStand, race: Race): Promise<readonly [string, string]> {
  const { stage } = stand;
  await stage.account('7');
  let round = 0;
  // Who waited too long has said nothing about the other: all of it is done again, with another Pod.
  return stand.until(async () => {
    round += 1;
    const pod = `pod-${round}`;
    await stage.queued(draft(`${round}`));
    await race.hold(stand);
    const first = unlessLocked(race.first(stage, pod));
    await stand.waitingOrOver(1, first);
    const second = unlessLocked(race.second(stage, pod));
    await stand.waitingOrOver(2, second);
    await stand.rival.query('rollback');
    const [one, other] = [await first, await second];
    return one === undefined || other === undefined ? undefined : ([one, other] as const);
  });
}

async function unlessLocked(call: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isFleetError(error, 'notYet') && error.reason === 'Locked') return undefined;
    throw error;
  }
}

export const retirementRaces: readonly Fault[] = [
  {
    rule: 'a Pod whose claim is under way on one connection is spoken for when another one retires it',
    proves: async (stand) => {
      const hold = async (): Promise<void> => stand.holdLimits();
      expect(await answersOf(stand, { hold, first: claim, second: retire })).toEqual([
        'claimed',
        'spoken-for',
      ]);
    },
  },
  {
    rule: 'a Pod whose retirement is under way on one connection gets nothing when it asks on another one',
    proves: async (stand) => {
      const hold = async () => stand.rival.query('begin; lock table retired_pods in exclusive mode');
      expect(await answersOf(stand, { hold, first: retire, second: claim })).toEqual(['retired', 'retired']);
    },
  },
];
