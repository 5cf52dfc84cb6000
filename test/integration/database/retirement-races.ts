/** A claim and a block of the same Pod that race on two connections: one of them gets the Pod, never both. */
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
  /** Stops the first verb after its reads, and before its writes. */
  readonly hold: (harness: FaultHarness) => Promise<unknown>;
  readonly first: Verb;
  readonly second: Verb;
}

/** The answers of both verbs about the same Pod; the second verb starts while the first is held. */
async function answersOf(harness: FaultHarness, race: Race): Promise<readonly [string, string]> {
  const { fixture } = harness;
  await fixture.account('7');
  let round = 0;
  // A timeout of a verb proves nothing about the other: repeat everything with another Pod.
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
    rule: 'a Pod with a claim under way on one connection is in use when another connection blocks it',
    proves: async (harness) => {
      const hold = async (): Promise<void> => harness.holdLimits();
      expect(await answersOf(harness, { hold, first: claim, second: retire })).toEqual(['claimed', 'in-use']);
    },
  },
  {
    rule: 'a Pod with a block under way on one connection gets nothing on another connection',
    proves: async (harness) => {
      const hold = async () => harness.rival.query('begin; lock table retired_pods in exclusive mode');
      expect(await answersOf(harness, { hold, first: retire, second: claim })).toEqual([
        'retired',
        'retired',
      ]);
    },
  },
];
