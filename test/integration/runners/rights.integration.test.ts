/**
 * Manager and dispatch under the roles of the chart, on a real kube-apiserver: its authorizer refuses no request of
 * their work with runners, and its audit log shows that each granted verb is used.
 */
import { expect, it } from 'vitest';
import { dispatchRights } from '../../../src/dispatch/kube-rights.ts';
import { managerRights, type Right } from '../../../src/manager/kube-rights.ts';
import { grantsOf, inAudit, rareIn } from '../../chart/rights-used.ts';
import { describeIntegration, type Harness } from '../../reference/describe-integration.ts';
import { asTheChart, grantedTo, userOf, type Who } from './as-the-chart.ts';
import { openBusyHarness, type BusyHarness } from './busy-harness.ts';
import { liveThrough } from './life-of-runners.ts';
import { install, untilAllAreUp } from './workload.ts';

const rights: Readonly<Record<Who, readonly Right[]>> = {
  manager: [...managerRights.runners, ...managerRights['runner-nodes']],
  dispatch: [...dispatchRights.dispatch, ...dispatchRights['dispatch-reviews']],
};
const everybody = ['manager', 'dispatch'] as const;

/** The first job fails, so that its log is read. */
function setUp(harness: Harness): Promise<BusyHarness> {
  let failuresLeft = 1;
  const exitCode = (): number => ((failuresLeft -= 1) >= 0 ? 1 : 0);
  return openBusyHarness(harness, {
    replicas: 1,
    audited: everybody.map(userOf),
    exitCode,
    install: asTheChart(harness),
  });
}

/** Returns the error; the refused requests explain more. */
async function live(fixture: BusyHarness): Promise<unknown> {
  try {
    await untilAllAreUp(fixture);
    const [repository] = await install(fixture, ['ants']);
    if (repository === undefined) throw new Error('there is no repository');
    await liveThrough(fixture, repository);
    return undefined;
  } catch (error) {
    return error;
  }
}

await describeIntegration(
  { name: 'runners under the roles of the chart', by: ['kube', 'helm'], setUp },
  (given) => {
    it.for(everybody)('the roles of %s grant what its table says', async (who) => {
      expect(await grantedTo(given().kube, who)).toEqual(grantsOf(rights[who]));
    });

    it('no request is refused, and each granted verb is used', { timeout: 900_000 }, async () => {
      const fixture = given();
      const trouble = await live(fixture);
      await fixture.close();
      const log = await fixture.kube.auditLog();
      for (const who of everybody) {
        const { used, refused } = inAudit(log.filter(({ user }) => user.username === userOf(who)));
        expect(refused, who).toEqual([]);
        const unused = grantsOf(rights[who]).filter((grant) => !used.has(grant));
        expect({ trouble, unused }, who).toEqual({ trouble: undefined, unused: rareIn(rights[who]) });
      }
    });
  },
);
