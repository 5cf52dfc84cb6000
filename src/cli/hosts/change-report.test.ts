/** The commands that change something print one JSON document in every case. */
import { beforeEach, describe, expect, it } from 'vitest';
import { FleetHarness, idOf } from '../../../lab/harness/fleet-harness.ts';

const [owned, lost] = [idOf('bbbb'), idOf('cccc')];
const noWait = ['--timeout', '0s'] as const;

function fleet(): FleetHarness {
  const made = new FleetHarness().install();
  made.post('/api/v1/namespaces', { metadata: { name: 'ci' } });
  const uid = made.machine('runners-1', {}, { status: { serverID: owned } });
  const claim = { namespace: 'ci', name: 'runners-1', uid };
  made.host(owned, { claim, used: true }, { state: 'Owned', observed: { name: 'runners-1' } });
  const gone = { namespace: 'ci', name: 'runners-0', uid: 'gone' };
  made.host(lost, { claim: gone, used: true }, { state: 'Stranded', observed: { name: 'runners-0' } });
  return made;
}

let harness = fleet();
beforeEach(() => void (harness = fleet()));

const writes = (): number => harness.transport.requests.filter(({ method }) => method !== 'GET').length;

const orders = [
  ['quarantine', 'cccc0000', '--reason', 'slow'],
  ['release', 'cccc0000', '--pool-prefix', 'tuist-pool-'],
  ['terminate', 'cccc0000', '--reason', 'too many'],
] as const;

describe('a change with --json', () => {
  it.for([...orders, ['detach', 'ci/runners-1']] as const)(
    'without --yes %j is planned and not done, without a question',
    async (order) => {
      harness.answers = ['y'];
      const { status, out, err } = await harness.muster(...order, '--json', ...noWait);
      const { plan, done, observed, error } = JSON.parse(out);
      expect([status, plan.length > 1, done, observed, writes()]).toEqual([1, true, [], [], 0]);
      expect([harness.questions, error]).toEqual([[], expect.stringContaining('add --yes to do it')]);
      expect(err).toContain(`error: ${error}\n`);
    },
  );

  it.for(orders)('%j reports the completed steps and the state of the host', async (order) => {
    const { status, out } = await harness.muster(...order, '--json', '--yes', ...noWait);
    const { subject, plan, done, observed } = JSON.parse(out);
    expect([status, subject, done]).toEqual([0, `host/${lost}`, plan]);
    expect(observed).toEqual([
      { what: expect.any(String), isSeen: false, now: 'Stranded, -', state: 'Stranded' },
    ]);
  });

  it('writes text lines to the error output, and reports what the manager did', async () => {
    harness.manager = () =>
      void harness.patchHost(lost, { status: { state: 'Quarantined', reason: 'Quarantined' } }, 'status');
    const { out, err } = await harness.muster(...orders[0], '--json', '--yes');
    expect(JSON.parse(out).observed).toMatchObject([{ isSeen: true, state: 'Quarantined' }]);
    expect(err).toContain('seen: the manager keeps the host on hold');
    await harness.muster('unquarantine', 'cccc0000', '--json', '--yes', ...noWait);
    expect(harness.specOf(lost)['hold']).toBeUndefined();
  });

  it('exits with 1 when the manager does not act, and still reports the completed steps', async () => {
    const { status, out } = await harness.muster(...orders[0], '--json', '--yes', '--timeout', '4s');
    expect([status, JSON.parse(out)]).toMatchObject([
      1,
      { done: { length: 2 }, observed: [{ isSeen: false }], error: expect.stringContaining('not seen in') },
    ]);
  });

  it('reports why a change is refused', async () => {
    const { status, out } = await harness.muster('release', 'bbbb0000', '--json', '--yes');
    expect([status, JSON.parse(out)]).toEqual([
      1,
      {
        subject: `host/${owned}`,
        plan: [],
        done: [],
        observed: [],
        error: expect.stringContaining('has this host and is alive'),
      },
    ]);
  });

  it('reports the completed steps of a detach that stops half-way', async () => {
    harness.transport.trouble = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('/status') ? { status: 422, body: {} } : undefined;
    const { status, out } = await harness.muster('detach', 'ci/runners-1', '--json', '--yes', ...noWait);
    expect([status, JSON.parse(out)]).toMatchObject([
      1,
      {
        subject: 'machine/ci/runners-1',
        done: ['pause the machine', 'put host bbbb0000 on hold'],
        error: expect.any(String),
      },
    ]);
  });

  it.for(['quarantine', 'unquarantine', 'release', 'terminate', 'sweep', 'detach'])(
    'muster %s --help lists --json',
    async (command) => {
      expect((await harness.muster(command, '--help')).out).toMatch(/^ +--json /m);
    },
  );
});
