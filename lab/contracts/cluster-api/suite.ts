/** Every rule of Cluster API that the stand-in follows, on one server. */
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import type { Resource } from '../../../src/kube/client/kube-object.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Case } from './case.ts';
import { clusterCases } from './cases/clusters.ts';
import { deletionCases } from './cases/deletion.ts';
import { deploymentCases } from './cases/deployments.ts';
import { machineCases } from './cases/machines.ts';
import { rolloutCases } from './cases/rollouts.ts';
import { definitions } from './drafts.ts';
import { Fixture, type Ground } from './harness.ts';
import { tiny, tinyDefinitions } from './tiny-kinds.ts';

const allCases: readonly Case[] = [
  ...clusterCases,
  ...deploymentCases,
  ...rolloutCases,
  ...machineCases,
  ...deletionCases,
];

/**
 * `open` is called once and gives a server with Cluster API on it; the caller of this function closes what `open`
 * opened.
 */
export function describeClusterApi(
  name: string,
  open: () => Promise<Ground & { close(): Promise<void> }>,
): void {
  describe(`Cluster API on ${name}:`, () => {
    let ground: Awaited<ReturnType<typeof open>>;
    let count = 0;
    beforeAll(async () => {
      ground = await open();
      for (const definition of tinyDefinitions) await ground.client.create(definitions, {}, definition);
      for (const kind of Object.values(tiny)) await untilServed(ground, kind);
    });
    afterAll(() => ground.close());

    it.for(allCases.map((one) => [one.rule, one] as const))('%s', async ([, { proves }]) => {
      expect.hasAssertions();
      count += 1;
      await proves(new Fixture(ground, `case-${count}`));
    });
  });
}

const attemptsMax = 2000;

/** The API serves a kind only some time after its definition. */
async function untilServed(ground: Ground, kind: Resource): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    try {
      await ground.client.listPage(kind, {});
      return;
    } catch (error) {
      if (!isFleetError(error, 'gone') && !isFleetError(error, 'unavailable')) throw error;
      await ground.pass();
    }
  }
  throw new Error(`${kind.plural} are not served`);
}
