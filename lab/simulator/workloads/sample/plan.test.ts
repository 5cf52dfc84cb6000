/** The decisions of the sample, and their messages: one row for each. */
import { describe, expect, it } from 'vitest';
import { finalizer, plan, type ConfigMap } from './plan.ts';

const leftAt = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;

interface Traits {
  readonly isHeld?: boolean;
  readonly isDeleting?: boolean;
}

function configMap({ isHeld = true, isDeleting = false }: Traits): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'text',
      namespace: 'one',
      uid: 'u',
      resourceVersion: '1',
      finalizers: isHeld ? [finalizer] : [],
      ...(isDeleting && { deletionTimestamp: new Date(leftAt).toISOString() }),
    },
    data: { text: 'wanted' },
  };
}

function boxWith(content: string | undefined) {
  return { box: 'u', owner: 'one/text', content };
}

describe('the plan of the sample controller', () => {
  it.for([
    ['is held before anything else', { isHeld: false }, undefined, ['add-finalizer', 'Unheld']],
    ['is filled when there is no box', {}, undefined, ['fill', 'Unequal']],
    ['is filled when its box holds something else', {}, boxWith('other'), ['fill', 'Unequal']],
    ['is unchanged when its box is right', {}, boxWith('wanted'), [undefined, undefined]],
    [
      'has its box wiped when it is being deleted',
      { isDeleting: true },
      boxWith('wanted'),
      ['wipe', 'Leaving'],
    ],
    ['loses its finalizer without a box', { isDeleting: true }, undefined, ['remove-finalizer', 'Left']],
    [
      'is ignored without our finalizer',
      { isDeleting: true, isHeld: false },
      undefined,
      [undefined, undefined],
    ],
  ] as const)('a ConfigMap %s', ([, traits, box, expected]) => {
    const { actions, notes } = plan({ now: leftAt, object: configMap(traits), box });
    expect([actions[0]?.kind, notes[0]?.reason]).toEqual(expected);
  });

  it('an empty box rests for as long as a fill request can be in flight, and is removed then', () => {
    const leaving = { object: configMap({ isDeleting: true }), box: boxWith(undefined) };
    const early = plan({ ...leaving, now: leftAt + 20 * minute - 1 });
    expect([early.actions, early.requeueAt]).toEqual([[], leftAt + 20 * minute]);
    expect(early.notes.map(({ reason }) => reason)).toEqual(['Leaving']);
    const late = plan({ ...leaving, now: leftAt + 20 * minute });
    expect(late.actions.map(({ kind }) => kind)).toEqual(['drop']);
  });
});
