import { expect, it } from 'vitest';
import { configMaps } from '../client/builtin-resources.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { visitWith, type Controller, type HarnessPorts } from './reconciler.ts';
import { failuresIn, subjectOf, type EventDraft } from './event-draft.ts';
import { DecisionLog } from './decision-log.ts';

const object = { metadata: { namespace: 'default', name: 'a', uid: 'uid-a', resourceVersion: '1' } };
const subject = subjectOf(configMaps, object);

/** One reconcile with one action of this result, and the order of its Events among other calls. */
async function visit(outcome: 'requested' | FleetError, ports: Partial<HarnessPorts> = {}) {
  const log: string[] = [];
  const reported: EventDraft[] = [];
  const controller: Controller<string, string> = {
    name: 'sample',
    observe: (key) => Promise.resolve(key),
    plan: () => ({ actions: ['fill'], notes: [] }),
    act: () => (outcome === 'requested' ? Promise.resolve(outcome) : Promise.reject(outcome)),
    status: () => Promise.resolve(void log.push('status')),
    events: (_observed, report) => [
      ...report.results
        .filter(({ outcome: result }) => result === 'requested')
        .map(() => ({ subject, type: 'Normal' as const, reason: 'Filled', message: 'filled' })),
      ...failuresIn(subject, report),
    ],
  };
  await visitWith(controller, {
    mayMutate: true,
    mayAct: () => true,
    decisions: new DecisionLog(() => 0),
    now: () => 0,
    onFailure: () => undefined,
    record: (event) => {
      reported.push(event);
      log.push(event.reason);
    },
    ...ports,
  })('a');
  return { log, reported };
}

it('an Event names its subject and is recorded after the status was written', async () => {
  const { log, reported } = await visit('requested');
  expect(log).toEqual(['status', 'Filled']);
  expect(reported[0]?.subject).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    name: 'a',
    uid: 'uid-a',
  });
});

it('a replica that may not act records no Event', async () => {
  const error = new FleetError('rejected', { reason: 'Broken', message: '' });
  let answers = 0;
  const mayAct = (): boolean => (answers += 1) === 1;
  expect((await visit(error, { mayAct })).reported).toEqual([]);
});

it.for([
  ['gone', []],
  ['conflict', []],
  ['notYet', ['Normal Broken: it broke']],
  ['unavailable', ['Warning Broken: it broke']],
  ['rejected', ['Warning Broken: it broke']],
] as const)('a failure of the kind %s becomes the Events %o', async ([kind, expected]) => {
  const { reported } = await visit(new FleetError(kind, { reason: 'Broken', message: 'it broke' }));
  expect(reported.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual(expected);
});
