/** The embedded Kubernetes API, driven by the real kubectl. */
import { describe, expect, it } from 'vitest';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import { startEmbedded, type Embedded } from './embedded.ts';
import { accessFlows } from './kubectl/access.ts';
import { applyingFlows } from './kubectl/applying.ts';
import { changingFlows } from './kubectl/changing.ts';
import { deletingFlows } from './kubectl/deleting.ts';
import { lookingFlows } from './kubectl/looking.ts';
import { ownFlows } from './kubectl/ours.ts';
import { waitingFlows } from './kubectl/waiting.ts';
import { workingFlows } from './kubectl/working.ts';
import { documents, shelfDefinition, type Flow } from './kubectl/flow.ts';

const topics: Readonly<Record<string, readonly Flow[]>> = {
  applying: applyingFlows,
  looking: lookingFlows,
  waiting: waitingFlows,
  changing: changingFlows,
  deleting: deletingFlows,
  working: workingFlows,
  access: accessFlows,
  'our own kinds': ownFlows,
};
const flows = Object.values(topics).flat();

function namespaceOf(flow: Flow): string {
  return `flow-${flows.indexOf(flow)}`;
}

async function setUp(harness: Harness): Promise<Embedded> {
  const embedded = await startEmbedded(harness);
  const kubectl = embedded.client('kubectl');
  const namespaces = flows.map((flow) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespaceOf(flow) },
  }));
  await kubectl.feed(documents(...namespaces, shelfDefinition), 'create', '-f', '-');
  await kubectl.ok('apply', '-f', 'charts/muster/crds');
  await kubectl.ok('wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all');
  return embedded;
}

await describeIntegration({ name: 'kubectl on muster apiserver', by: 'kube', setUp }, (embedded) => {
  it('has each flow once', () => {
    expect(new Set(flows.map(({ flow }) => flow)).size).toBe(flows.length);
  });

  describe.for(Object.entries(topics))('%s', ([, ofTopic]) => {
    it.concurrent.for(ofTopic.map((flow) => [flow.flow, flow] as const))('%s', async ([, flow]) => {
      const namespace = namespaceOf(flow);
      const kubectl = embedded().client('kubectl').with('-n', namespace);
      await expect(flow.run({ kubectl, namespace, embedded: embedded() })).resolves.toBeUndefined();
    });
  });
});
