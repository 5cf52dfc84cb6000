/** A claim and a retirement of the same Pod that meet on two connections: one of them has the Pod, never both. */
import { expect } from 'vitest';
import { draft, type Fixture } from '../../../lab/contracts/store/harness.ts';
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import type { Fault, FaultHarness } from './fault-harness.ts';

type Verb = (fixture: Fixture, pod: string) => Promise<string | undefined>;

const claim: Verb = async (fixture, pod) => {
  const [answer] = await fixture.ask([pod]);
  return answer?.kind === 'taken' ? answer.why : answer?.kind;
};
const retire: Verb = async (fixture, pod) => fixture.retire(pod);

interface Race {
  /** Stops the first verb after it has looked at what is there, and before it writes. */
  readonly hold: (harness: FaultHarness) => Promise<unknown>;
  readonly first: Verb;
  readonly second: Verb;
}

/** What they say, each about the same Pod; the second one comes while the first is held. */
async function answersOf(harness: FaultHarness, race: Race): Promise<readonly [string, string]> {
  const { fixture } = harness;
  await fixture.account('7');
  let round = 0;
  // Who waited too long has said nothing about the other: all of it is done again, with another Pod.
  return harness.until(async () => {
    round += 1;
    const pod = `pod-${round}`;
    await fixture.queued(draft(`${round}`));
    await race.hold(harness);
    const first = unlessLocked(race.first(fixture, pod));
    await harness.waitingOrOver(1, first);
    const second = unlessLocked(race.second(fixture, pod));
    await harness.waitingOrOver(2, second);
    await harness.rival.query('rollback');
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
    proves: async (harness) => {
      const hold = async (): Promise<void> => harness.holdLimits();
      expect(await answersOf(harness, { hold, first: claim, second: retire })).toEqual([
        'claimed',
        'spoken-for',
      ]);
    },
  },
  {
    rule: 'a Pod whose retirement is under way on one connection gets nothing when it asks on another one',
    proves: async (harness) => {
      const hold = async () => harness.rival.query('begin; lock table retired_pods in exclusive mode');
      expect(await answersOf(harness, { hold, first: retire, second: claim })).toEqual([
        'retired',
        'retired',
      ]);
    },
  },
];
