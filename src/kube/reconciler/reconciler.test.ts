import { describe, expect, it } from 'vitest';
import { FleetError, type FailureKind } from '../../platform/errors/fleet-error.ts';
import { visitWith, type Controller, type HarnessPorts } from './reconciler.ts';
import { DecisionLog } from './decision-log.ts';
import type { ActionResult, Plan, Report } from './plan.ts';

const now = 1_000_000;

function failure(kind: FailureKind, retryAt?: number): FleetError {
  return new FleetError(
    kind,
    { reason: 'Broken', message: 'it broke' },
    retryAt === undefined ? {} : { retryAt },
  );
}

interface Wishes {
  readonly observed?: string | undefined;
  readonly plan?: Plan<string>;
  readonly acts?: Readonly<Record<string, FleetError | ActionResult>>;
  readonly statusFails?: FleetError;
  readonly observeFails?: FleetError;
  readonly ports?: Partial<HarnessPorts>;
}

function harness(wishes: Wishes = {}) {
  const { plan = { actions: ['a', 'b'], notes: [] }, acts = {} } = wishes;
  const log: string[] = [];
  const reports: Report<string>[] = [];
  const failures: string[] = [];
  const decisions = new DecisionLog(() => now);
  const controller: Controller<string, string> = {
    name: 'sample',
    observe: (key) => {
      if (wishes.observeFails !== undefined) return Promise.reject(wishes.observeFails);
      return Promise.resolve('observed' in wishes ? wishes.observed : key);
    },
    plan: () => plan,
    act: (action) => {
      log.push(`act ${action}`);
      const result = acts[action] ?? 'requested';
      return result instanceof FleetError ? Promise.reject(result) : Promise.resolve(result);
    },
    status: (_observed, report) => {
      log.push('status');
      reports.push(report);
      return wishes.statusFails === undefined ? Promise.resolve() : Promise.reject(wishes.statusFails);
    },
  };
  const visit = visitWith(controller, {
    mayMutate: true,
    mayAct: () => true,
    decisions,
    now: () => now,
    onFailure: ({ during, error }) => void failures.push(`${during} ${error.kind}`),
    ...wishes.ports,
  });
  return { visit, log, reports, failures, decisions };
}

describe('a controller', () => {
  it('acts and then writes the status with the results', async () => {
    const { visit, log, reports } = harness();
    expect(await visit('x')).toBe('done');
    expect(log).toEqual(['act a', 'act b', 'status']);
    expect(reports[0]?.results).toEqual([
      { action: 'a', outcome: 'requested' },
      { action: 'b', outcome: 'requested' },
    ]);
  });

  it('carries out the other actions when one fails, and still writes its status', async () => {
    const error = failure('unavailable');
    const { visit, log, reports, failures } = harness({ acts: { a: error } });
    expect(await visit('x')).toBe('backoff');
    expect(log).toEqual(['act a', 'act b', 'status']);
    expect(reports[0]?.results[0]).toEqual({ action: 'a', outcome: error });
    expect(failures).toEqual(['act unavailable']);
  });

  it('takes no action in report-only mode', async () => {
    const notes = [{ subject: 'host', reason: 'Stranded', detail: 'no machine owns the host' }];
    const { visit, log, reports, decisions } = harness({
      plan: { actions: ['a'], notes },
      ports: { mayMutate: false },
    });
    expect(await visit('x')).toBe('done');
    expect([log, reports[0]?.results]).toEqual([['status'], [{ action: 'a', outcome: 'skipped' }]]);
    expect(decisions.about('host')).toEqual([{ ...notes[0], controller: 'sample', key: 'x', since: now }]);
  });

  it('checks before each action whether it may still act', async () => {
    let answers = 0;
    const mayAct = (): boolean => {
      answers += 1;
      return answers === 1;
    };
    const { visit, log } = harness({ ports: { mayAct } });
    expect(await visit('x')).toBe('backoff');
    expect(log).toEqual(['act a', 'status']);
  });

  it.for([
    ['gone', 'now'],
    ['conflict', 'now'],
    ['unavailable', 'backoff'],
    ['notYet', 'backoff'],
  ] as const)('requeues after a failure of the kind %s: %s', async ([kind, outcome]) => {
    const { visit } = harness({ acts: { a: failure(kind) } });
    expect(await visit('x')).toBe(outcome);
  });

  it.for(['notYet', 'unavailable'] as const)(
    'requeues at the retry time of a failure of the kind %s',
    async (kind) => {
      const { visit } = harness({ acts: { a: failure(kind, now + 500) } });
      expect(await visit('x')).toEqual({ at: now + 500 });
    },
  );

  it('requeues at the time of the plan, or at once when an action lost its precondition', async () => {
    const plan = { actions: ['a'], notes: [], requeueAt: now + 700 };
    expect(await harness({ plan }).visit('x')).toEqual({ at: now + 700 });
    expect(await harness({ plan, acts: { a: 'precondition-lost' } }).visit('x')).toBe('now');
    expect(await harness({ plan, acts: { a: 'no-op' } }).visit('x')).toEqual({ at: now + 700 });
    expect(await harness({ plan, acts: { a: failure('notYet', now + 300) } }).visit('x')).toEqual({
      at: now + 300,
    });
  });

  it('drops the notes of an object that is gone', async () => {
    const { visit, log, decisions } = harness({ observed: undefined });
    decisions.write('sample', 'x', [{ subject: 'x', reason: 'Waiting', detail: '' }]);
    expect([await visit('x'), log, decisions.all()]).toEqual(['done', [], []]);
  });

  it('makes no decision when the observation fails', async () => {
    const { visit, log, failures } = harness({ observeFails: failure('unavailable') });
    expect([await visit('x'), log, failures]).toEqual(['backoff', [], ['observe unavailable']]);
  });

  it.for(['observe', 'act', 'status'] as const)(
    'requeues slowly after a rejection in %s, and notes the reason',
    async (during) => {
      const refused = failure('rejected');
      const wishes = {
        observe: { observeFails: refused },
        act: { acts: { a: refused } },
        status: { statusFails: refused },
      };
      const { visit, decisions } = harness(wishes[during]);
      expect(await visit('x')).toEqual({ at: now + 600_000 });
      expect(decisions.about('x')).toMatchObject([{ subject: 'x', reason: 'Broken', detail: 'it broke' }]);
    },
  );

  it('requeues when its status could not be written', async () => {
    const { visit, failures } = harness({ statusFails: failure('conflict') });
    expect([await visit('x'), failures]).toEqual(['now', ['status conflict']]);
  });

  it('passes an unexpected error on', async () => {
    const { decisions } = harness();
    const broken: Controller<string, string> = {
      name: 'broken',
      observe: (key) => Promise.resolve(key),
      plan: () => {
        throw new TypeError('a bug');
      },
      act: () => Promise.resolve('requested'),
      status: () => Promise.resolve(),
    };
    const ports = {
      mayMutate: true,
      mayAct: () => true,
      decisions,
      now: () => now,
      onFailure: () => undefined,
    };
    await expect(visitWith(broken, ports)('x')).rejects.toBeInstanceOf(TypeError);
  });
});

describe('a decision log', () => {
  it('keeps the time since when a note is unchanged, and drops notes that are no longer made', () => {
    let time = 1;
    const decisions = new DecisionLog(() => time);
    const note = { subject: 'host', reason: 'Settling', detail: 'for two more minutes' };
    decisions.write('sweep', 'x', [note]);
    time = 2;
    decisions.write('sweep', 'x', [{ ...note, detail: 'for one more minute' }]);
    expect(decisions.about('host')).toMatchObject([{ since: 1, detail: 'for one more minute' }]);
    time = 3;
    decisions.write('sweep', 'x', [{ ...note, reason: 'Stranded' }]);
    expect(decisions.about('x')).toMatchObject([{ since: 3, reason: 'Stranded' }]);
    decisions.write('sweep', 'x', []);
    expect(decisions.all()).toEqual([]);
  });
});
