/** A roll is decided again from the stored Deployment just before the write. */
import { expect, it } from 'vitest';
import { HostHarness } from '../../../lab/harness/host-harness.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { deployments, type Node } from '../../kube/client/builtin-resources.ts';
import { FleetSpread, markOf } from './controller.ts';
import { markOn } from './plan.ts';

const place = { namespace: 'default', name: 'processor' };
const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };

function mac(name: string): Node {
  const labels = { 'kubernetes.io/os': 'darwin', 'tuist.dev/runtime': 'tart' };
  const conditions = [{ type: 'Ready', status: 'True' }];
  return { metadata: { name, uid: name, resourceVersion: '1', labels }, status: { conditions } };
}

class SpreadHarness extends HostHarness {
  nodes: readonly Node[] = [mac('a')];
  readonly controller = new FleetSpread({
    client: this.client,
    nodes: () => this.nodes,
    now: this.now,
    namespace: place.namespace,
    deployment: place.name,
  });

  async make(): Promise<void> {
    const labels = { app: 'processor' };
    const spec = {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none' }] } },
    };
    const metadata = { name: place.name };
    await this.client.create(
      deployments,
      { namespace: place.namespace },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec },
    );
    await this.change({ status }, 'status');
  }

  async change(merge: object, subresource?: string): Promise<void> {
    const at = subresource === undefined ? place : { ...place, subresource };
    await this.client.patch(deployments, at, { merge });
  }

  /** Observes, applies a change, and then carries out the decision. */
  async visit(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<readonly string[]> {
    const observed = await this.controller.observe();
    const { actions } = this.controller.plan(observed);
    await meanwhile();
    const outcomes = [];
    for (const action of actions) outcomes.push(await this.controller.act(action, observed));
    return outcomes;
  }

  async mark(): Promise<string | undefined> {
    return markOn(await this.client.get(deployments, place));
  }
}

it('records a changed set of Macs on the Pod template, once', async () => {
  const harness = new SpreadHarness();
  await harness.make();
  expect([await harness.visit(), await harness.mark()]).toEqual([['requested'], markOf('a')]);
  expect(await harness.visit()).toEqual([]);
});

it('a Deployment that does not exist is no failure', async () => {
  expect(await new SpreadHarness().visit()).toEqual([]);
});

it.for([
  [
    'the Deployment is being rolled',
    (harness) => harness.change({ status: { unavailableReplicas: 1 } }, 'status'),
  ],
  [
    'the set has changed again',
    (harness) => {
      harness.nodes = [mac('a'), mac('b')];
      return Promise.resolve();
    },
  ],
  [
    'the Deployment was created again',
    async (harness) => {
      const { uid } = (await harness.client.get(deployments, place)).metadata;
      await harness.client.delete(deployments, place, { uid });
      await harness.make();
    },
  ],
] as const satisfies readonly (readonly [string, (harness: SpreadHarness) => Promise<void>])[])(
  'nothing is rolled when meanwhile %s',
  async ([, change]) => {
    const harness = new SpreadHarness();
    await harness.make();
    expect([await harness.visit(() => change(harness)), await harness.mark()]).toEqual([
      ['precondition-lost'],
      undefined,
    ]);
  },
);

it('does not overwrite a concurrent write', async () => {
  const harness = new SpreadHarness();
  await harness.make();
  const observed = await harness.controller.observe();
  const [action] = harness.controller.plan(observed).actions;
  if (action === undefined) throw new Error('nothing to roll');
  const patch = harness.client.patch.bind(harness.client);
  harness.client.patch = async (...args) => {
    harness.client.patch = patch;
    await harness.change({ metadata: { labels: { by: 'another' } } });
    return patch(...args);
  };
  const outcome = await harness.controller.act(action, observed).catch((error: unknown) => error);
  expect(isFleetError(outcome, 'conflict')).toBe(true);
});
