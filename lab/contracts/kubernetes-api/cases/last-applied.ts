/** Migration from client-side apply, which stores the applied object in an annotation, to server-side apply. */
import { expect } from 'vitest';
import { apply, as } from '../applying.ts';
import type { Case, Context } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn, type KubeObject } from '../kube-object.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const conflict = { code: 409, reason: 'Conflict' } as const;

/** Applies like `kubectl apply` without its server-side flag. */
async function applyAtClient({ widgets }: Context, spec: object): Promise<void> {
  const text = JSON.stringify(widgets.draft('a', { spec }));
  const draft = widgets.draft('a', { metadata: { annotations: { [annotation]: text } }, spec });
  objectIn(await widgets.post(draft, as('kubectl-client-side-apply')), 201);
}

function lastApplied({ metadata }: KubeObject): unknown {
  return JSON.parse(metadata.annotations?.[annotation] ?? 'null');
}

export const lastAppliedCases: readonly Case[] = [
  {
    rule: 'an apply as kubectl takes over the fields in the last-applied annotation, and updates the annotation',
    run: async (context) => {
      await applyAtClient(context, { size: 1, code: 'x' });
      expectFailure(await apply(context, { spec: { size: 2 } }, as('other')), conflict);
      const taken = objectIn(await apply(context, { spec: { size: 2, code: 'y' } }, as('kubectl')));
      expect(taken.spec).toMatchObject({ size: 2, code: 'y' });
      expect(lastApplied(taken)).toEqual(context.widgets.draft('a', { spec: { size: 2, code: 'y' } }));
    },
  },
  {
    rule: 'fields that others changed later, or that are not in the annotation, are not taken over',
    run: async (context) => {
      const { widgets } = context;
      await applyAtClient(context, { size: 1 });
      const change = { merge: { spec: { size: 5, code: 'x' } } };
      objectIn(await widgets.patch('a', change, { query: as('other') }));
      const refused = await apply(context, { spec: { size: 2, code: 'y' } }, as('kubectl'));
      expectFailure(refused, { ...conflict, fields: ['.spec.code', '.spec.size'] });
    },
  },
  {
    rule: 'an apply as kubectl to an object without the annotation adds none',
    run: async (context) => {
      objectIn(await apply(context, { spec: { size: 1 } }, as('kubectl')), 201);
      const applied = objectIn(await apply(context, { spec: { size: 2 } }, as('kubectl')));
      expect(applied.metadata.annotations).toBeUndefined();
    },
  },
];
