/** The chart on a real API server: it accepts all objects, and the Pods in a restricted namespace. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Client } from '../integration/client.ts';
import { startKubeFrom } from '../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import type { Kube } from '../reference/launch/kube.ts';
import { chartFolder, helmAlone } from './rendered.ts';

interface Given {
  readonly kube: Kube;
  readonly helm: Client;
  /** A folder for files. */
  readonly dir: string;
}

const templateSchema = z.object({
  spec: z.object({ template: z.object({ metadata: z.looseObject({}), spec: z.looseObject({}) }) }),
});

async function setUp(harness: Harness): Promise<Given> {
  const kube = await startKubeFrom(harness.bench, {
    workplace: harness.workplace,
    alsoRun: ['controller-manager'],
  });
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'fleet', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  };
  await kube.mustKubectl(['create', '-f', '-'], JSON.stringify(namespace));
  const helm = helmAlone(harness).under({ KUBECONFIG: kube.adminKubeconfig }).with('-n', 'fleet');
  return { kube, helm, dir: harness.workplace.dir };
}

await describeIntegration(
  { name: 'the chart on a real API server', by: ['kube', 'helm'], setUp },
  (given) => {
    it('installs completely, and upgrades from its package', async () => {
      const { helm, dir } = given();
      expect(await helm.ok('install', 'ci', chartFolder)).toContain('STATUS: deployed');
      await helm.ok('package', chartFolder, '--destination', dir);
      const packed = join(dir, 'muster-0.1.0.tgz');
      const withDispatch =
        'dispatch.enabled=true,dispatch.github.appId=4711,runners.linux.image=x,dashboards.enabled=true';
      const shapes = 'runners.linux.shapes=[{"vcpus":4,"memoryGb":16}]';
      const set = ['--set', `macosFleet.adoptPoolPrefix=tuist-pool-,${withDispatch}`, '--set-json', shapes];
      expect(await helm.ok('upgrade', 'ci', packed, ...set)).toContain('REVISION: 2');
    });

    it.for(['manager', 'dispatch'])('Pods of %s pass the restricted Pod security level', async (name) => {
      const { kube } = given();
      const text = await kube.mustKubectl(['-n', 'fleet', 'get', `deploy/ci-muster-${name}`, '-o', 'json']);
      const { metadata, spec } = templateSchema.parse(JSON.parse(text)).spec.template;
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name }, spec };
      const asked = await kube.kubectl(
        ['-n', 'fleet', 'create', '--dry-run=server', '-f', '-'],
        JSON.stringify(pod),
      );
      expect(asked).toMatchObject({ status: 0, stderr: '' });
    });
  },
);
