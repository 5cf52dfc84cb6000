/** The rendered chart: the flags for each value, and the refused values. */
import { expect, it } from 'vitest';
import { describeIntegration } from '../reference/describe-integration.ts';
import {
  chartFolder,
  containerOf,
  flagsIn,
  helmAlone,
  only,
  podLabelsOf,
  reachedPorts,
  render,
} from './rendered.ts';

const setUp = (harness: Parameters<typeof helmAlone>[0]) => Promise.resolve(helmAlone(harness));

await describeIntegration({ name: 'the chart, rendered', by: 'helm', setUp }, (helm) => {
  it('strict lint finds no problem', async () => {
    expect(await helm().ok('lint', '--strict', chartFolder)).toContain('0 chart(s) failed');
  });

  it('by default no pool is named and no host is reclaimed', async () => {
    expect(flagsIn(only(await render(helm()), 'Deployment'))).toEqual({
      '--log-level': 'info',
      '--probe-listen': '0.0.0.0:8080',
      '--lease-namespace': 'fleet',
      '--lease-name': 'muster-manager',
      '--secrets-namespace': 'fleet-host-secrets',
      '--orphan-reclaim-zones': 'fr-par-1',
      '--duplicate-repairs-max': '5',
    });
  });

  it('the pool prefix and active reclaim become flags, active reclaim with the prefix of our machines', async () => {
    const set = 'macosFleet.adoptPoolPrefix=tuist-pool-,macosFleet.orphanReclaim.activeReclaim=true';
    expect(flagsIn(only(await render(helm(), '--set', set), 'Deployment'))).toMatchObject({
      '--default-adopt-pool-prefix': 'tuist-pool-',
      '--orphan-reclaim-claim-name-prefix': 'ci-muster-',
    });
  });

  it('the pool prefixes that machines may name become one flag', async () => {
    const set = 'manager.allowedPoolPrefixes={tuist-pool-,spare-}';
    const flags = flagsIn(only(await render(helm(), '--set', set), 'Deployment'));
    expect(flags['--allowed-pool-prefixes']).toBe('tuist-pool-,spare-');
  });

  it('prices of hosts become one flag', async () => {
    const set = 'manager.hostPricesPerDay={"M2-L":4.35,"M1-M":2}';
    const flags = flagsIn(only(await render(helm(), '--set-json', set), 'Deployment'));
    expect(flags['--host-price-per-day']).toBe('M1-M=2,M2-L=4.35');
  });

  it('a Deployment to spread adds flags, a role for that Deployment, and read access to Nodes', async () => {
    const objects = await render(helm(), '--set', 'manager.fleetSpread.deployment=processor');
    expect(flagsIn(only(objects, 'Deployment'))).toMatchObject({
      '--fleet-spread-deployment': 'processor',
      '--fleet-spread-namespace': 'fleet',
    });
    const role = objects.find(
      ({ kind, metadata }) => kind === 'Role' && metadata.name.endsWith('-fleet-spread'),
    );
    expect(role).toMatchObject({
      metadata: { namespace: 'fleet' },
      rules: [{ resources: ['deployments'], resourceNames: ['processor'], verbs: ['get', 'patch'] }],
    });
    expect(JSON.stringify(only(objects, 'ClusterRole'))).toContain('nodes');
    const text = JSON.stringify(await render(helm()));
    expect([text.includes('nodes'), text.includes('deployments')]).toEqual([false, false]);
  });

  it('each zone of a fleet is listed once', async () => {
    const set =
      'macosFleet.machine.zone=fr-par-3,runnersFleet.machine.zone=fr-par-1,buildersFleet.machine.zone=fr-par-3';
    const flags = flagsIn(only(await render(helm(), '--set', set), 'Deployment'));
    expect(flags['--orphan-reclaim-zones']).toBe('fr-par-1,fr-par-3');
  });

  it.each([
    ['ci', 'nameOverride=', 'ci-muster'],
    ['my-muster', 'nameOverride=', 'my-muster'],
    ['ci', 'nameOverride=macs', 'ci-macs'],
    ['ci', 'fullnameOverride=macs', 'macs'],
    ['r'.repeat(50), 'nameOverride=', `${'r'.repeat(50)}-mu`],
  ])('release %s with %s is called %s', async (release, set, fullname) => {
    const reclaim = 'macosFleet.orphanReclaim.activeReclaim=true';
    const text = await helm().ok('template', release, chartFolder, '--set', reclaim, '--set', set);
    expect(text).toContain(`--orphan-reclaim-claim-name-prefix=${fullname}-\n`);
    expect(text).toContain(`serviceAccountName: ${fullname}-manager\n`);
  });

  it('the image is the version of the chart, or the tag that is given', async () => {
    const image = async (...set: readonly string[]): Promise<string> =>
      containerOf(only(await render(helm(), ...set), 'Deployment')).image;
    expect(await image()).toBe('muster:0.1.0');
    expect(await image('--set', 'image.repository=example.com/muster,image.tag=next')).toBe(
      'example.com/muster:next',
    );
    const digest = `sha256:${'a'.repeat(64)}`;
    expect(await image('--set', `image.tag=next,image.digest=${digest}`)).toBe(`muster@${digest}`);
  });

  it('names that look like numbers stay strings', async () => {
    const set = 'macosFleet.scaleway.secretName=789';
    const text = await helm().ok('template', '123', chartFolder, '-n', '456', '--set-string', set);
    expect(text).toContain('name: "789"');
    expect(text).toContain('namespace: "456"');
    expect(text).not.toMatch(/(name|namespace|instance): \d+$/m);
  });

  it('by default the chart creates a separate namespace for the Secrets, which stays on uninstall', async () => {
    const objects = await render(helm());
    const namespace = only(objects, 'Namespace');
    expect(namespace.metadata).toMatchObject({
      name: 'fleet-host-secrets',
      annotations: { 'helm.sh/resource-policy': 'keep' },
    });
    const roles = objects.filter(({ kind }) => kind === 'Role');
    const withSecrets = roles.filter((role) => JSON.stringify(role['rules']).includes('secrets'));
    expect(withSecrets.map((role) => role.metadata.namespace)).toEqual(['fleet-host-secrets']);
    const named = await render(helm(), '--set', 'manager.secretsNamespace=keys');
    expect(named.filter(({ kind }) => kind === 'Namespace')).toEqual([]);
  });

  it('Secrets are granted in their namespace alone, and no rule has a wildcard', async () => {
    const objects = await render(helm(), '--set', 'manager.secretsNamespace=keys');
    expect(JSON.stringify(only(objects, 'ClusterRole'))).not.toContain('secrets');
    const roles = objects.filter(({ kind }) => kind === 'Role');
    const withSecrets = roles.filter((role) => JSON.stringify(role['rules']).includes('secrets'));
    expect(withSecrets.map(({ metadata }) => metadata.namespace)).toEqual(['keys']);
    expect(JSON.stringify([...roles, only(objects, 'ClusterRole')])).not.toContain('*');
  });

  it('only the Pods of the manager have a token', async () => {
    const objects = await render(helm());
    expect(only(objects, 'ServiceAccount')['automountServiceAccountToken']).toBe(false);
    expect(only(objects, 'Deployment')['spec']).toMatchObject({
      template: { spec: { automountServiceAccountToken: true } },
    });
  });

  it('only its namespace and listed peers reach the metrics of the manager, and no other port is open', async () => {
    const prometheus = { namespaceSelector: { matchLabels: { team: 'monitoring' } } };
    const json = `manager.networkPolicy.metricsFrom=${JSON.stringify([prometheus])}`;
    for (const [objects, more] of [
      [await render(helm()), []],
      [await render(helm(), '--set-json', json), [prometheus]],
    ] as const)
      expect(only(objects, 'NetworkPolicy')).toMatchObject({
        metadata: { name: 'ci-muster-manager', namespace: 'fleet' },
        spec: {
          podSelector: { matchLabels: podLabelsOf(only(objects, 'Deployment')) },
          ingress: [{ from: [{ podSelector: {} }, ...more], ports: [{ protocol: 'TCP', port: 8080 }] }],
        },
      });
  });

  it('the manager reaches name servers, clusters and providers, owned Macs by SSH, and no other port', async () => {
    const owned = 'provider=static,static.hosts=macs,static.zones[0]=office,static.wipeCommand=/hook/wipe';
    const reached = async (...args: readonly string[]) =>
      reachedPorts(only(await render(helm(), ...args), 'NetworkPolicy'));
    expect(await reached()).toEqual(['UDP 53', 'TCP 53', 'TCP 443', 'TCP 6443']);
    expect(await reached('--set', owned)).toEqual(['UDP 53', 'TCP 53', 'TCP 443', 'TCP 6443', 'TCP 22']);
    expect(await reached('--set-json', 'manager.networkPolicy.egressPorts=[]')).toBe('any');
  });

  it('drains keep one manager; a single manager has no budget', async () => {
    const objects = await render(helm());
    expect(only(objects, 'PodDisruptionBudget')).toMatchObject({
      metadata: { name: 'ci-muster-manager', namespace: 'fleet' },
      spec: { maxUnavailable: 1, selector: { matchLabels: podLabelsOf(only(objects, 'Deployment')) } },
    });
    const alone = await render(helm(), '--set', 'manager.replicas=1');
    expect(alone.map(({ kind }) => kind)).not.toContain('PodDisruptionBudget');
  });

  it('both can be disabled', async () => {
    const off = 'manager.networkPolicy.enabled=false,manager.podDisruptionBudget.enabled=false';
    const kinds = (await render(helm(), '--set', off)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => ['NetworkPolicy', 'PodDisruptionBudget'].includes(kind))).toEqual([]);
  });

  it.each([
    ['macosFleet.machine.zone=Paris', "at '/macosFleet/machine/zone': 'Paris' does not match"],
    ['manager.replicas=0', "at '/manager/replicas': minimum: got 0, want 1"],
    ['manager.duplicateRepairsMax=-1', "at '/manager/duplicateRepairsMax': minimum: got -1, want 0"],
    ['manager.hostPricesPerDay.M1-M=-1', "at '/manager/hostPricesPerDay/M1-M': minimum: got -1, want 0"],
    ['manager.networkPolicy.metricsFrom[0].namespace=x', "at '/manager/networkPolicy/metricsFrom/0'"],
    ['manager.networkPolicy.egressPorts={0}', "egressPorts/0': minimum: got 0, want 1"],
    ['manager.podDisruptionBudget.enabled=maybe', "podDisruptionBudget/enabled': got string, want boolean"],
    ['alerts.enabled=maybe', "at '/alerts/enabled': got string, want boolean"],
    ['manager.logLevel=loud', "at '/manager/logLevel': value must be one of 'debug', 'info'"],
    ['macosFleet.orphanReclaim.activeReclaim=yes', "activeReclaim': got string, want boolean"],
    ['macosFleet.scaleway.secretName=', "at '/macosFleet/scaleway/secretName': minLength"],
    ['macosFleet.adoptPoolPrefx=x', "additional properties 'adoptPoolPrefx' not allowed"],
  ])('%s is refused, and the message says where', async (set, message) => {
    expect(await helm().refused('template', 'ci', chartFolder, '--set', set)).toContain(message);
  });
});
