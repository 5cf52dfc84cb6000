import { expect, it } from 'vitest';
import { configMaps } from '../kube/builtin-resources.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { visitWith, type Controller, type HarnessPorts } from './controller.ts';
import { failuresIn, subjectOf, type Happening } from './happening.ts';
import { Notebook } from './notebook.ts';

const object = { metadata: { namespace: 'default', name: 'a', uid: 'uid-a', resourceVersion: '1' } };
const subject = subjectOf(configMaps, object);

/** One visit whose one action comes to this; what was told, in its order among the rest. */
async function visit(outcome: 'asked' | FleetError, ports: Partial<HarnessPorts> = {}) {
  const log: string[] = [];
  const told: Happening[] = [];
  const controller: Controller<string, string> = {
    name: 'sample',
    observe: (key) => Promise.resolve(key),
    plan: () => ({ actions: ['fill'], notes: [] }),
    act: () => (outcome === 'asked' ? Promise.resolve(outcome) : Promise.reject(outcome)),
    status: () => Promise.resolve(void log.push('status')),
    happenings: (_observed, report) => [
      ...report.results
        .filter(({ outcome: result }) => result === 'asked')
        .map(() => ({ subject, type: 'Normal' as const, reason: 'Filled', message: 'filled' })),
      ...failuresIn(subject, report),
    ],
  };
  await visitWith(controller, {
    mayMutate: true,
    mayAct: () => true,
    notebook: new Notebook(() => 0),
    now: () => 0,
    onFailure: () => undefined,
    record: (happening) => {
      told.push(happening);
      log.push(happening.reason);
    },
    ...ports,
  })('a');
  return { log, told };
}

it('what happened is told with its subject, after the status was written', async () => {
  const { log, told } = await visit('asked');
  expect(log).toEqual(['status', 'Filled']);
  expect(told[0]?.subject).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    name: 'a',
    uid: 'uid-a',
  });
});

it('a replica that may not act says nothing', async () => {
  const error = new FleetError('rejected', { reason: 'Broken', message: '' });
  let answers = 0;
  const mayAct = (): boolean => (answers += 1) === 1;
  expect((await visit(error, { mayAct })).told).toEqual([]);
});

it.for([
  ['gone', []],
  ['conflict', []],
  ['notYet', ['Normal Broken: it broke']],
  ['unavailable', ['Warning Broken: it broke']],
  ['rejected', ['Warning Broken: it broke']],
] as const)('a failure of the kind %s is told as %o', async ([kind, expected]) => {
  const { told } = await visit(new FleetError(kind, { reason: 'Broken', message: 'it broke' }));
  expect(told.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual(expected);
});
