/** The embedded Kubernetes API, driven by the real kubectl. */
import { describe, expect, it } from 'vitest';
import { describeJudged, type Stand } from '../real/judged.ts';
import { startEmbedded, type Embedded } from './embedded.ts';
import { applyingFlows } from './kubectl/applying.ts';
import { documents, shelfDefinition, type Flow } from './kubectl/flow.ts';

const topics: Readonly<Record<string, readonly Flow[]>> = {
  applying: applyingFlows,
};
const flows = Object.values(topics).flat();

function namespaceOf(flow: Flow): string {
  return `flow-${flows.indexOf(flow)}`;
}

async function setUp(stand: Stand): Promise<Embedded> {
  const embedded = await startEmbedded(stand);
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

await describeJudged({ name: 'kubectl on muster apiserver', by: 'kube', setUp }, (embedded) => {
  it('has each flow once', () => {
    expect(new Set(flows.map(({ flow }) => flow)).size).toBe(flows.length);
  });

  describe.for(Object.entries(topics))('%s', ([, ofTopic]) => {
    it.for(ofTopic.map((flow) => [flow.flow, flow] as const))('%s', async ([, flow]) => {
      const namespace = namespaceOf(flow);
      const kubectl = embedded().client('kubectl').with('-n', namespace);
      await flow.run({ kubectl, namespace, embedded: embedded() });
    });
  });
});
