/** The rendered chart for values of fleets: the objects, their names, and the refused values. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { scalewayAppleSiliconMachineTemplate } from '../../src/api/kinds/scaleway-apple-silicon-machine-template.ts';
import type { Client } from '../integration/client.ts';
import { describeIntegration } from '../reference/describe-integration.ts';
import { chartFolder, flagsIn, helmAlone, only, render, type Rendered } from './rendered.ts';

const base = ['--set', 'capi.enabled=true,macosFleet.enabled=true,macosFleet.adoptPoolPrefix=tuist-pool-'];
const clusterKinds = new Set([
  'Cluster',
  'MachineDeployment',
  'MusterControlPlane',
  'ScalewayAppleSiliconCluster',
]);

const deploymentSchema = z.looseObject({
  replicas: z.number(),
  selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
  template: z.looseObject({
    metadata: z.object({ labels: z.record(z.string(), z.string()) }),
    spec: z.looseObject({ infrastructureRef: z.looseObject({ name: z.string() }) }),
  }),
});

async function fleets(helm: Client, ...set: readonly string[]): Promise<readonly Rendered[]> {
  return render(helm, ...base, ...set);
}

const named = (objects: readonly Rendered[], kind: string): readonly string[] =>
  objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
const templateOf = async (helm: Client, ...set: readonly string[]): Promise<Rendered> =>
  only(await fleets(helm, ...set), 'ScalewayAppleSiliconMachineTemplate');

const setUp = (harness: Parameters<typeof helmAlone>[0]) => Promise.resolve(helmAlone(harness));

await describeIntegration({ name: 'fleets of the chart, rendered', by: 'helm', setUp }, (helm) => {
  it.each([
    ['no fleet is enabled', 'capi.enabled=true'],
    ['Cluster API is disabled', 'macosFleet.enabled=true,macosFleet.adoptPoolPrefix=p-'],
  ])('no Cluster API object is rendered where %s', async (_why, set) => {
    const kinds = (await render(helm(), '--set', set)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => clusterKinds.has(kind))).toEqual([]);
    expect(kinds).not.toContain('Secret');
  });

  it('a fleet is a MachineDeployment with OnDelete, below one Cluster with infrastructure and control plane', async () => {
    const objects = await fleets(helm());
    for (const kind of ['Cluster', 'MusterControlPlane', 'ScalewayAppleSiliconCluster'])
      expect(only(objects, kind).metadata).toMatchObject({ name: 'ci-muster-capi', namespace: 'fleet' });
    const deployment = only(objects, 'MachineDeployment');
    expect(deployment.metadata.name).toBe('ci-muster-macos-fleet');
    expect(deployment['spec']).toMatchObject({
      clusterName: 'ci-muster-capi',
      replicas: 1,
      rollout: { strategy: { type: 'OnDelete' } },
    });
    const { selector, template } = deploymentSchema.parse(deployment['spec']);
    const labels = {
      'cluster.x-k8s.io/cluster-name': 'ci-muster-capi',
      'tuist.dev/fleet': 'ci-muster-macos-fleet',
    };
    expect([selector.matchLabels, template.metadata.labels]).toEqual([labels, labels]);
    expect(named(objects, 'ScalewayAppleSiliconMachineTemplate')).toEqual([
      template.spec.infrastructureRef.name,
    ]);
  });

  it('the machine values of a fleet are the fields of its kind', async () => {
    const set =
      'macosFleet.name=macs,macosFleet.machine.type=M4-M,macosFleet.machine.hostCPU=10,macosFleet.machine.hostMemoryMB=14336';
    const template = await templateOf(helm(), '--set', set);
    const { spec } = scalewayAppleSiliconMachineTemplate.schema.parse(template);
    expect(spec.template.spec).toEqual({
      zone: 'fr-par-1',
      type: 'M4-M',
      os: 'Tahoe',
      hostCPU: 10,
      hostMemoryMB: 14_336,
      fleetName: 'macs',
      adoptPoolPrefix: 'tuist-pool-',
    });
  });

  it('the name of a template depends on its content alone', async () => {
    const nameOf = async (...set: readonly string[]) => (await templateOf(helm(), ...set)).metadata.name;
    const plain = await nameOf();
    expect(plain).toMatch(/^ci-muster-macos-fleet-[0-9a-f]{8}$/);
    expect(await nameOf('--set', 'macosFleet.replicas=7,manager.replicas=3')).toBe(plain);
    const others = ['machine.type=M4-M', 'machine.zone=fr-par-3', 'adoptPoolPrefix=other-', 'name=macs'];
    const names = await Promise.all(others.map((set) => nameOf('--set', `macosFleet.${set}`)));
    expect(new Set([plain, ...names]).size).toBe(others.length + 1);
  });

  it('an unused template stays: machines were created from it', async () => {
    const { metadata } = await templateOf(helm());
    expect(metadata['annotations']).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
  });

  it('each enabled fleet and each listed fleet is rendered, and the zones of all are listed', async () => {
    const more = [
      { key: 'tests', replicas: 3, machine: { zone: 'fr-par-3' } },
      { key: 'old', replicas: 0, adoptPoolPrefix: 'old-', machine: { zone: 'nl-ams-1', type: 'M1-M' } },
    ];
    const runner =
      'buildersFleet.enabled=true,buildersFleet.replicas=2,buildersFleet.ghActionsRunner.ghOrg=acme';
    const set = `runnersFleet.enabled=true,runnersFleet.hostCount=9,${runner}`;
    const objects = await fleets(helm(), '--set', set, '--set-json', `fleets=${JSON.stringify(more)}`);
    const deployments = objects.filter(({ kind }) => kind === 'MachineDeployment');
    const replicas = deployments.map(({ metadata, spec }) => [
      metadata.name,
      deploymentSchema.parse(spec).replicas,
    ]);
    expect(Object.fromEntries(replicas)).toEqual({
      'ci-muster-macos-fleet': 1,
      'ci-muster-runners-fleet': 9,
      'ci-muster-builders-fleet': 2,
      'ci-muster-tests-fleet': 3,
      'ci-muster-old-fleet': 0,
    });
    expect(named(objects, 'Cluster')).toHaveLength(1);
    expect(flagsIn(only(objects, 'Deployment'))['--orphan-reclaim-zones']).toBe('fr-par-1,fr-par-3,nl-ams-1');
    const wishes = objects.filter(({ kind }) => kind === 'ScalewayAppleSiliconMachineTemplate');
    const texts = wishes.map(({ spec }) => JSON.stringify(spec));
    expect(texts.filter((text) => text.includes('"adoptPoolPrefix":"old-"'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('"ghOrg":"acme"'))).toHaveLength(1);
  });

  it.each([
    ['macosFleet.adoptPoolPrefix=', 'the fleet macos needs adoptPoolPrefix'],
    ['fullnameOverride=' + 'f'.repeat(50), 'is too long by 3 letters for the name of a fleet'],
    ['fleets[0].key=macos,fleets[0].replicas=1,fleets[0].machine.zone=fr-par-1', 'the key macos is taken'],
    ['macosFleet.name=a,runnersFleet.enabled=true,runnersFleet.name=a', 'two fleets are called a'],
    ['runnersFleet.enabled=true,runnersFleet.name=ci-muster-macos-fleet', 'called ci-muster-macos-fleet'],
    ['fleets[0].key=x,fleets[0].replicas=1', "missing property 'machine'"],
    ['fleets[0].key=Tests', "'/fleets/0/key': 'Tests' does not match"],
    ['macosFleet.replicas=-1', "at '/macosFleet/replicas': minimum: got -1, want 0"],
    ['macosFleet.machine.hostCPU=0', "at '/macosFleet/machine/hostCPU': minimum: got 0, want 1"],
  ])('%s is refused, and the message says why', async (set, message) => {
    expect(await helm().refused('template', 'ci', chartFolder, ...base, '--set', set)).toContain(message);
  });
});
