/** The rendered chart for values of dispatch and runner pools. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { dispatchRights } from '../../src/dispatch/kube-rights.ts';
import { profilesFrom, profileSettings } from '../../src/dispatch/profile-settings.ts';
import { profileRoute } from '../../src/dispatch/webhooks/profile-routes.ts';
import { managerRights } from '../../src/manager/kube-rights.ts';
import { readSettings } from '../../src/platform/settings/read-settings.ts';
import { describeIntegration } from '../reference/describe-integration.ts';
import {
  called,
  chartFolder,
  containerOf,
  flagsIn,
  grantsIn,
  helmAlone,
  only,
  podLabelsOf,
  reachedPorts,
  render,
  type Rendered,
} from './rendered.ts';
import { grantsOf } from './rights-used.ts';

const setUp = (harness: Parameters<typeof helmAlone>[0]) => Promise.resolve(helmAlone(harness));
const on =
  'dispatch.enabled=true,dispatch.github.appId=4711000,runners.linux.image=example.com/runner@sha256:1';
const shapes = 'runners.linux.shapes=[{"vcpus":4,"memoryGb":16,"replicas":2},{"vcpus":2,"memoryGb":8}]';
const poolSchema = z.looseObject({ spec: z.looseObject({ dispatchLabel: z.string() }) });

const envSchema = z.array(z.object({ name: z.string(), value: z.string().optional() }));

/** The variables whose value is in the chart instead of a Secret. */
function variablesIn(deployment: Rendered): Readonly<Record<string, string>> {
  const all = envSchema.parse(containerOf(deployment)['env']);
  return Object.fromEntries(
    all.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])),
  );
}

await describeIntegration({ name: 'the chart with dispatch, rendered', by: 'helm', setUp }, (helm) => {
  const rendered = () => render(helm(), '--set', on, '--set-json', shapes);

  it('dispatch is not rendered unless enabled', async () => {
    const text = JSON.stringify(await render(helm()));
    expect(['dispatch', 'RunnerPool', 'tuist.dev/runner'].filter((word) => text.includes(word))).toEqual([]);
  });

  it('dispatch gets all addresses, and the account of the manager', async () => {
    const flags = flagsIn(called(await rendered(), 'Deployment', 'ci-muster-dispatch'));
    expect(flags).toEqual({
      '--log-level': 'info',
      '--probe-listen': '0.0.0.0:8080',
      '--listen': '0.0.0.0:8090',
      '--namespace': 'tuist-runners',
      '--replicas': '2',
      '--stop-delay': '5s',
      '--github-url': 'https://api.github.com',
      '--github-app-id': '4711000',
      '--github-app-key-file': '/github/app-key.pem',
      '--webhook-secret-file': '/github/webhook-secret',
      '--manager-service-account': 'fleet/ci-muster-manager',
    });
  });

  it('each replica gets the number of replicas, and registers no more than its share', async () => {
    const objects = await render(helm(), '--set', `${on},dispatch.replicas=5`);
    const deployment = called(objects, 'Deployment', 'ci-muster-dispatch');
    expect(deployment['spec']).toMatchObject({ replicas: 5 });
    expect(flagsIn(deployment)).toMatchObject({ '--replicas': '5' });
  });

  it('only named accounts may install the App, and an account name stays a string', async () => {
    const json = 'dispatch.github.allowedAccounts=["octo-org","id:4711","1234"]';
    const objects = await render(helm(), '--set', on, '--set-json', json);
    const flags = flagsIn(called(objects, 'Deployment', 'ci-muster-dispatch'));
    expect(flags['--allowed-accounts']).toBe('octo-org,id:4711,1234');
  });

  it('a replica during a long migration is not killed', async () => {
    const { startupProbe } = z
      .looseObject({
        startupProbe: z.object({ periodSeconds: z.number(), failureThreshold: z.number() }).loose(),
      })
      .parse(containerOf(called(await rendered(), 'Deployment', 'ci-muster-dispatch')));
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBe(3600);
  });

  it('both webhook secrets are passed during a rotation', async () => {
    const objects = await render(helm(), '--set', `${on},dispatch.github.webhookSecretKeys={new,old}`);
    const args = JSON.stringify(called(objects, 'Deployment', 'ci-muster-dispatch'));
    expect(args.match(/--webhook-secret-file=[^"]+/g)).toEqual([
      '--webhook-secret-file=/github/new',
      '--webhook-secret-file=/github/old',
    ]);
  });

  it('the manager runs pools once dispatch is enabled, and Macs get its public address', async () => {
    const set = `${on},dispatch.publicUrl=https://dispatch.example.com,runners.dindImage=docker:dind`;
    const flags = flagsIn(called(await render(helm(), '--set', set), 'Deployment', 'ci-muster-manager'));
    expect(flags).toMatchObject({
      '--runners-namespace': 'tuist-runners',
      '--dispatch-url': 'https://dispatch.example.com',
      '--dispatch-internal-url': 'http://ci-muster-dispatch.fleet.svc',
      '--scaling-signals-url': 'http://ci-muster-dispatch.fleet.svc',
      '--sessions-url': 'http://ci-muster-dispatch.fleet.svc',
      '--dind-image': 'docker:dind',
    });
  });

  it('the manager has a token for the audience of dispatch, only where dispatch is enabled', async () => {
    const deployment = called(await rendered(), 'Deployment', 'ci-muster-manager');
    expect(flagsIn(deployment)['--dispatch-token-file']).toBe('/var/run/secrets/muster-dispatch/token');
    expect(containerOf(deployment)['volumeMounts']).toEqual([
      { name: 'dispatch-token', mountPath: '/var/run/secrets/muster-dispatch', readOnly: true },
    ]);
    expect(JSON.stringify(deployment)).toContain(
      '{"serviceAccountToken":{"audience":"muster-dispatch","expirationSeconds":3600,"path":"token"}}',
    );
    expect(JSON.stringify(called(await render(helm()), 'Deployment', 'ci-muster-manager'))).not.toContain(
      'muster-dispatch',
    );
  });

  it('the roles grant exactly the table', async () => {
    const objects = await rendered();
    expect(grantsIn(called(objects, 'Role', 'ci-muster-dispatch'))).toEqual(
      grantsOf(dispatchRights.dispatch),
    );
    expect(grantsIn(called(objects, 'ClusterRole', 'ci-muster-dispatch-fleet'))).toEqual(
      grantsOf(dispatchRights['dispatch-reviews']),
    );
    expect(grantsIn(called(objects, 'Role', 'ci-muster-manager-runners'))).toEqual(
      grantsOf(managerRights.runners),
    );
    expect(called(objects, 'Role', 'ci-muster-dispatch').metadata.namespace).toBe('tuist-runners');
  });

  it('each shape is a pool, with a label of its own', async () => {
    const pools = (await rendered()).filter(({ kind }) => kind === 'RunnerPool');
    expect(pools.map(({ metadata }) => metadata.name)).toEqual([
      'ci-muster-linux-4vcpu-16gb',
      'ci-muster-linux-2vcpu-8gb',
    ]);
    expect(pools.map((pool) => poolSchema.parse(pool).spec)).toMatchObject([
      {
        dispatchLabel: 'tuist-linux-4vcpu-16gb',
        podCPUMilli: 4000,
        podMemoryMB: 16_384,
        runtimeClass: 'kata-qemu',
      },
      { dispatchLabel: 'tuist-linux-2vcpu-8gb', podCPUMilli: 2000, podMemoryMB: 8192, replicas: 0 },
    ]);
  });

  it('dispatch finds pools by their names, with the default shape first', async () => {
    const own = 'runners.linux.shapes=[{"vcpus":4,"memoryGb":16},{"vcpus":2,"memoryGb":8,"default":true}]';
    const label = 'dispatch.profileLabelPrefix=staging-';
    const objects = await render(helm(), '--set', `${on},${label}`, '--set-json', own);
    const env = variablesIn(called(objects, 'Deployment', 'ci-muster-dispatch'));
    const settings = profilesFrom(
      await readSettings(
        profileSettings,
        { flags: {}, env },
        { readFile: () => Promise.reject(new Error()) },
      ),
    );
    expect(settings.linuxSizes).toEqual([
      { vcpus: 2, memoryGb: 8 },
      { vcpus: 4, memoryGb: 16 },
    ]);
    const routes = settings.linuxSizes.map((size) =>
      profileRoute(
        { accountId: '1', name: 'linux', platform: 'linux', ...size, isProtected: true },
        settings,
      ),
    );
    expect(routes[0]?.label).toBe('staging-linux');
    const pools = objects.filter(({ kind }) => kind === 'RunnerPool').map(({ metadata }) => metadata.name);
    expect(routes.map(({ pool }) => pool).toSorted()).toEqual(pools.toSorted());
    expect(JSON.stringify(objects.find(({ kind }) => kind === 'RunnerPool'))).not.toContain('default');
  });

  it('accounts get a profile by default only with a default shape', async () => {
    const env = variablesIn(called(await rendered(), 'Deployment', 'ci-muster-dispatch'));
    expect(env).toEqual({
      MUSTER_PROFILE_LABEL_PREFIX: 'tuist-',
      MUSTER_LINUX_POOL_PREFIX: 'ci-muster-linux',
      MUSTER_MACOS_POOL_PREFIX: 'ci-muster-macos',
    });
  });

  it('two default shapes are refused', async () => {
    const two =
      'runners.linux.shapes=[{"vcpus":4,"memoryGb":16,"default":true},{"vcpus":2,"memoryGb":8,"default":true}]';
    await expect(
      helm().ok('template', 'ci', chartFolder, '-n', 'fleet', '--set', on, '--set-json', two),
    ).rejects.toThrow('more than one default: 4vcpu-16gb, 2vcpu-8gb');
  });

  it('an explicit pool cannot have the name of a shape', async () => {
    const spec = '{"image":"x","fleetSelector":"f","dispatchLabel":"own","runnerLabels":[]}';
    const pools = `runners.pools=[{"name":"ci-muster-linux-2vcpu-8gb","spec":${spec}}]`;
    const set = ['--set', on, '--set-json', shapes, '--set-json', pools];
    await expect(helm().ok('template', 'ci', chartFolder, '-n', 'fleet', ...set)).rejects.toThrow(
      'two runner pools are called ci-muster-linux-2vcpu-8gb',
    );
  });

  it('the autoscaling of a shape overrides the common autoscaling', async () => {
    const own = 'runners.linux.shapes=[{"vcpus":4,"memoryGb":16,"autoscaling":{"maxReplicas":9}}]';
    const all = 'runners.linux.autoscaling={"enabled":true,"maxReplicas":5}';
    const objects = await render(helm(), '--set', on, '--set-json', own, '--set-json', all);
    const pool = objects.find(({ kind }) => kind === 'RunnerPool');
    expect(poolSchema.parse(pool).spec['autoscaling']).toEqual({ enabled: true, maxReplicas: 9 });
  });

  it('a stamped Pod reaches dispatch like any other Pod', async () => {
    const policy = called(await rendered(), 'NetworkPolicy', 'ci-muster-runners');
    expect(policy['spec']).toMatchObject({
      podSelector: { matchLabels: { 'tuist.dev/runner': 'true' } },
      egress: expect.arrayContaining([expect.objectContaining({ ports: [{ protocol: 'TCP', port: 8090 }] })]),
    });
    expect(JSON.stringify(policy)).not.toContain('runner-pool-owner');
  });

  it('any client reaches the port of dispatch, and only its namespace and listed peers reach its metrics', async () => {
    const prometheus = { namespaceSelector: { matchLabels: { team: 'monitoring' } } };
    const json = `dispatch.networkPolicy.metricsFrom=${JSON.stringify([prometheus])}`;
    const named = await render(helm(), '--set', on, '--set-json', json);
    for (const [objects, more] of [
      [await rendered(), []],
      [named, [prometheus]],
    ] as const)
      expect(called(objects, 'NetworkPolicy', 'ci-muster-dispatch')).toMatchObject({
        metadata: { namespace: 'fleet' },
        spec: {
          podSelector: { matchLabels: podLabelsOf(called(objects, 'Deployment', 'ci-muster-dispatch')) },
          ingress: [
            { ports: [{ protocol: 'TCP', port: 8090 }] },
            { from: [{ podSelector: {} }, ...more], ports: [{ protocol: 'TCP', port: 8080 }] },
          ],
        },
      });
  });

  it('dispatch reaches name servers, the cluster, GitHub and its database, the manager also dispatch, and no other port', async () => {
    const reached = async (name: string, ...args: readonly string[]) =>
      reachedPorts(called(await render(helm(), '--set', on, ...args), 'NetworkPolicy', name));
    const always = ['UDP 53', 'TCP 53', 'TCP 443', 'TCP 6443'];
    expect(await reached('ci-muster-dispatch')).toEqual([...always, 'TCP 5432']);
    expect(await reached('ci-muster-manager')).toEqual([...always, 'TCP 8090']);
    const github = (url: string) => reached('ci-muster-dispatch', '--set', `dispatch.github.url=${url}`);
    expect(await github('https://github.corp:8443/api/v3')).toEqual([...always, 'TCP 5432', 'TCP 8443']);
    expect(await github('http://github.corp/api/v3')).toEqual([...always, 'TCP 5432', 'TCP 80']);
    const any = 'dispatch.networkPolicy.egressPorts=[]';
    expect(await reached('ci-muster-dispatch', '--set-json', any)).toBe('any');
  });

  it('drains evict one replica at a time; a single replica has no budget', async () => {
    const objects = await rendered();
    expect(called(objects, 'PodDisruptionBudget', 'ci-muster-dispatch')).toMatchObject({
      metadata: { namespace: 'fleet' },
      spec: {
        maxUnavailable: 1,
        selector: { matchLabels: podLabelsOf(called(objects, 'Deployment', 'ci-muster-dispatch')) },
      },
    });
    const alone = await render(helm(), '--set', `${on},dispatch.replicas=1`);
    expect(only(alone, 'PodDisruptionBudget').metadata.name).toBe('ci-muster-manager');
  });

  it('both can be disabled', async () => {
    const off = 'dispatch.networkPolicy.enabled=false,dispatch.podDisruptionBudget.enabled=false';
    const objects = await render(helm(), '--set', `${on},${off}`);
    const guards = objects.filter(({ kind }) => ['NetworkPolicy', 'PodDisruptionBudget'].includes(kind));
    expect(guards.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual([
      'NetworkPolicy ci-muster-manager',
      'NetworkPolicy ci-muster-runners',
      'PodDisruptionBudget ci-muster-manager',
    ]);
  });

  it('the namespace outlives the release', async () => {
    expect(called(await rendered(), 'Namespace', 'tuist-runners').metadata).toMatchObject({
      annotations: { 'helm.sh/resource-policy': 'keep' },
    });
  });

  it.for([
    ['dispatch.enabled=true', 'dispatch needs dispatch.github.appId'],
    [
      `${on},runners.linux.image=,runners.linux.shapes[0].vcpus=1,runners.linux.shapes[0].memoryGb=2`,
      'needs runners.linux.image',
    ],
    [`${on},runners.namespace=Not_A_Name`, 'runners/namespace'],
    [`${on},dispatch.publicUrl=dispatch.example.com`, 'dispatch/publicUrl'],
    [`${on},dispatch.publicUrl=http://dispatch.example.com`, 'dispatch/publicUrl'],
    [`${on},dispatch.github.allowedAccounts={octo-*}`, 'dispatch/github/allowedAccounts/0'],
    [`${on},dispatch.replicas=0`, 'dispatch/replicas'],
    [`${on},dispatch.profileLabelPrefix=`, 'dispatch/profileLabelPrefix'],
    [`${on},dispatch.recoveryPaused={ghost-runner}`, 'dispatch/recoveryPaused/0'],
    [`${on},dispatch.networkPolicy.metricsFrom[0].namespace=monitoring`, 'networkPolicy/metricsFrom/0'],
    [`${on},runners.linux.labelPrefix=a\nb`, 'runners/linux/labelPrefix'],
    [`${on},runners.macos.labelPrefix=a\n`, 'runners/macos/labelPrefix'],
  ] as const)('%s is refused', async ([set, why]) => {
    await expect(helm().ok('template', 'ci', chartFolder, '-n', 'fleet', '--set', set)).rejects.toThrow(why);
  });

  it('two pools for one label are refused: a job could not choose', async () => {
    const pool = (name: string) =>
      `{"name":"${name}","spec":{"image":"x","fleetSelector":"f","dispatchLabel":"same","runnerLabels":[]}}`;
    const pools = `runners.pools=[${pool('a')},${pool('b')}]`;
    await expect(
      helm().ok('template', 'ci', chartFolder, '-n', 'fleet', '--set', on, '--set-json', pools),
    ).rejects.toThrow('two runner pools take jobs with the label same');
  });
});
