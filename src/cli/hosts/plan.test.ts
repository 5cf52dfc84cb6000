/** What `muster plan` says each controller would do, without a manager and without a provider. */
import { beforeEach, describe, expect, it } from 'vitest';
import { FleetHarness, idOf } from '../../../lab/harness/fleet-harness.ts';

const [pool, owned, lost] = [idOf('aaaa'), idOf('bbbb'), idOf('cccc')];
const names = ['--claim-prefix', 'first-', '--default-adopt-pool-prefix', 'tuist-pool-'] as const;

let harness = new FleetHarness();
beforeEach(() => {
  harness = new FleetHarness().install();
  harness.post('/api/v1/namespaces', { metadata: { name: 'ci' } });
  const spec = { adoptPoolPrefix: 'tuist-pool-', providerID: `scw-applesilicon://fr-par-1/${owned}` };
  const uid = harness.machine('first-1', spec, { status: { serverID: owned, ready: true } });
  harness.host(pool, {}, { state: 'Pooled', reason: 'Pooled', observed: { name: 'tuist-pool-1' } });
  const claim = { namespace: 'ci', name: 'first-1', uid };
  harness.host(owned, { claim, used: true }, { state: 'Owned', observed: { name: 'first-1' } });
});

/** A host whose machine is gone. */
function strand(id = lost, name = 'first-0', since = '2026-11-03T10:00:00Z'): void {
  const claim = { namespace: 'ci', name, uid: `gone-${id}` };
  harness.host(
    id,
    { claim, used: true },
    { state: 'Stranded', reason: 'Stranded', since, observed: { name } },
  );
}

interface Section {
  readonly controller: string;
  readonly unknown: readonly string[];
  readonly rows: readonly {
    readonly object: string;
    readonly does: string;
    readonly why: string;
    readonly isActive: boolean;
  }[];
}

async function planOf(controller: string, ...args: readonly string[]): Promise<Section> {
  const { plan }: { plan: readonly Section[] } = JSON.parse(
    (await harness.muster('plan', '--json', ...args)).out,
  );
  const section = plan.find((one) => one.controller === controller);
  if (section === undefined) throw new Error(`no section ${controller}`);
  return section;
}

it('has a section for each controller, with the planned actions first', async () => {
  strand();
  harness.machine('first-2');
  expect((await harness.muster('plan', ...names)).out).toMatchInlineSnapshot(`
    "inventory: 0 of 0
      not known here: the listings of the provider: every --inventory-interval the manager lists
          each zone, creates missing MacHosts, records changes, and checks each server that two listings
          left out
    host: 0 of 3
      host/aaaa0000 (tuist-pool-1): nothing
          Pooled: no machine has the host, and its disk is clean; the host is ready. The host is free:
          its last wipe was seen complete, or a person gave it a pool name.
      host/bbbb0000 (first-1): nothing
          Owned: a live machine holds its claim; the host is ready. The host belongs to a live machine.
      host/cccc0000 (first-0): nothing
          Stranded: the machine that claims the host no longer exists; the host is ready. The host was
          used, and its machine no longer exists.
      assumed: that the provider rejected none of these steps recently; a rejected step waits for
          its backoff
    machine: 1 of 2
      machine/ci/first-2: take host aaaa0000
          Adopting: the machine takes host aaaa0000-0000-4000-8000-000000000000
      machine/ci/first-1: nothing
          Provisioned: the machine has host bbbb0000-0000-4000-8000-000000000000
      assumed: that the manager has completed an inventory of each zone since it became leader
    sweep: 1 of 1
      host/cccc0000 (first-0): order its return to tuist-pool-
          Stranded: no machine speaks for it
      assumed: that two inventories have listed a host as stranded, which only the manager counts,
          once the state is 5 minutes old
      assumed: that no host was reclaimed within the last --orphan-reclaim-interval; those count as
          well
    duplicates: 0 of 0
    cluster: 0 of 0
    fleet-key: 0 of 0
      not known here: whether each fleet has its key: give --secrets-namespace as for the manager
    fleet-spread: 0 of 0
      not known here: whether a Deployment is spread over the Macs: give --fleet-spread-deployment
          as for the manager
    pool: 0 of 0
      not known here: whether pools have their Pods: give --runners-namespace as for the manager
    2 things would be done now; nothing was changed by this command
    "
  `);
});

it('reads and changes nothing', async () => {
  strand();
  const before = harness.transport.requests.length;
  const all = [
    '--secrets-namespace',
    'ci',
    '--fleet-spread-deployment',
    'runners',
    '--runners-namespace',
    'ci',
  ];
  await harness.muster('plan', ...names, ...all);
  const methods = harness.transport.requests.slice(before).map(({ method }) => method);
  expect([...new Set(methods)]).toEqual(['GET']);
});

describe('the sweep', () => {
  it('reclaims the same hosts as muster sweep', async () => {
    strand();
    expect((await planOf('sweep', ...names)).rows).toEqual([
      {
        object: 'host/cccc0000 (first-0)',
        does: 'order its return to tuist-pool-',
        why: 'Stranded: no machine speaks for it',
        isActive: true,
      },
    ]);
  });

  it('says why not more: unknown prefixes, the cap, and a host that is not stranded long enough', async () => {
    strand();
    strand(idOf('dddd'), 'first-9');
    strand(idOf('eeee'), 'first-8', '2026-11-03T11:59:00Z');
    const bare = await planOf('sweep');
    expect(bare.rows.map(({ why }) => why)).toEqual(
      Array(3).fill('Stranded: hosts are only reported, not reclaimed'),
    );
    const capped = await planOf('sweep', ...names, '--reclaims-max', '1');
    expect(capped.rows.map(({ does, why }) => [does, why])).toEqual([
      ['order its return to tuist-pool-', 'Stranded: no machine speaks for it'],
      ['nothing', expect.stringContaining('at most 1 are reclaimed at once')],
      ['nothing', expect.stringContaining('stranded for 1m only; 5m are required')],
    ]);
  });
});

describe('machines', () => {
  it('promises a host to one machine only', async () => {
    harness.machine('first-2');
    harness.machine('first-3');
    const { rows } = await planOf('machine');
    expect(rows.map(({ does }) => does)).toEqual(['nothing', 'take host aaaa0000', 'nothing']);
    expect(rows[2]?.why).toContain('NoAvailableHost');
  });

  it.for([
    [{}, 'order the return of host bbbb0000 to tuist-pool-'],
    [{ 'tuist.dev/release-policy': 'terminate' }, 'order the end of the rent of host bbbb0000'],
  ] as const)('a deleted machine with %j', async ([annotations, expected]) => {
    harness.patchMachine('first-1', { metadata: { annotations } });
    harness.deleteMachine('first-1');
    expect((await planOf('machine')).rows[0]?.does).toBe(expected);
  });

  it('a deleted machine keeps its host for another machine that also has it', async () => {
    harness.machine('first-2', {}, { status: { serverID: owned } });
    harness.deleteMachine('first-1');
    expect((await planOf('machine')).rows[0]).toMatchObject({
      object: 'machine/ci/first-1',
      does: 'keep host bbbb0000 for the other machines that have it',
    });
  });

  it('a machine waits until its Cluster is provisioned', async () => {
    harness.machine('first-2', {}, { metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'ci' } } });
    expect((await planOf('machine')).rows.at(-1)).toMatchObject({
      does: 'nothing',
      why: expect.stringContaining('the Cluster is not provisioned yet'),
    });
  });
});

it('unbinds a machine that names the host of another, unless repairs are off', async () => {
  harness.machine('first-2', {}, { status: { serverID: owned } });
  const { rows } = await planOf('duplicates');
  expect(rows).toMatchObject([{ object: 'host/bbbb0000', does: expect.stringContaining('ci/first-2') }]);
  expect((await planOf('duplicates', '--duplicate-repairs-max', '0')).rows).toMatchObject([
    { does: 'nothing', why: expect.stringContaining('an operator must resolve this') },
  ]);
});

it('reports an incomplete cluster', async () => {
  const apiVersion = 'infrastructure.cluster.x-k8s.io/v1alpha1';
  harness.post(`/apis/${apiVersion}/namespaces/ci/scalewayapplesiliconclusters`, {
    apiVersion,
    kind: 'ScalewayAppleSiliconCluster',
    metadata: { name: 'fleet', namespace: 'ci' },
    spec: {},
  });
  expect((await planOf('cluster')).rows).toMatchObject([
    { object: 'ScalewayAppleSiliconCluster/ci/fleet', why: expect.stringContaining('NothingToProvision') },
  ]);
});

it('creates a missing key of a fleet, and keeps a registered key', async () => {
  const secret = (data: object, annotations = {}) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'ci-first-1-ssh', namespace: 'ci', annotations },
    stringData: data,
  });
  const args = ['--secrets-namespace', 'ci'] as const;
  expect((await planOf('fleet-key', ...args)).rows).toMatchObject([
    { object: 'ci-first-1', does: 'make a key and store it in a Secret' },
  ]);
  const key = { id_ed25519: 'private', 'id_ed25519.pub': 'ssh-ed25519 AAAA us' };
  harness.post('/api/v1/namespaces/ci/secrets', secret(key, { 'scaleway.tuist.dev/ssh-key-id': 'key-1' }));
  const { rows } = await planOf('fleet-key', ...args);
  expect(rows).toMatchObject([{ does: 'nothing', why: expect.stringContaining('KeyRegistered') }]);
  expect(JSON.stringify(rows)).not.toContain('private');
});

it('reports a missing Deployment', async () => {
  const { rows } = await planOf('fleet-spread', '--fleet-spread-deployment', 'runners');
  expect(rows).toMatchObject([{ object: 'default/runners', why: expect.stringContaining('NoDeployment') }]);
});

it('reports for a pool how many Pods would be created, and why not more', async () => {
  const metadata = { name: 'linux', finalizers: ['tuist.dev/runner-pool-drain'] };
  const spec = {
    image: 'a',
    fleetSelector: 'b',
    dispatchLabel: 'c',
    runnerLabels: [],
    os: 'linux',
    replicas: 3,
  };
  const type = { apiVersion: 'tuist.dev/v1alpha1', kind: 'RunnerPool' };
  harness.post('/apis/tuist.dev/v1alpha1/namespaces/ci/runnerpools', { ...type, metadata, spec });
  const args = ['--runners-namespace', 'ci'];
  expect((await planOf('pool', ...args)).rows).toMatchObject([
    { object: 'pool/ci/linux', does: 'create 3 Pods', why: expect.stringContaining('0 of 3 Pods exist') },
  ]);
  expect((await planOf('pool', ...args, '--dind-image', 'docker:dind')).rows).toMatchObject([
    { does: 'nothing', why: expect.stringContaining('RuntimeClassRefused') },
  ]);
});

it('lists the facts that the command cannot know', async () => {
  expect((await planOf('inventory')).unknown).toEqual([
    expect.stringContaining('the listings of the provider'),
  ]);
  expect((await planOf('fleet-key')).unknown).toEqual([expect.stringContaining('--secrets-namespace')]);
});

it('a missing right hides only one section', async () => {
  const refused = { status: 403, body: { kind: 'Status', reason: 'Forbidden', message: 'no' } };
  harness.transport.trouble = ({ path }) =>
    path.endsWith('/scalewayapplesiliconclusters') ? refused : undefined;
  expect((await planOf('cluster')).unknown).toEqual([expect.stringContaining('lacks the verb "list"')]);
  expect((await planOf('machine')).rows).toHaveLength(1);
});
