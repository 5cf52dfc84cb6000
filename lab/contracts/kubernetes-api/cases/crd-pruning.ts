/** Pruning: fields outside the schema are not stored. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { objectIn } from '../kube-object.ts';

export const crdPruningCases: readonly Case[] = [
  {
    rule: 'fields outside the schema are dropped at every depth',
    run: async ({ widgets }) => {
      const spec = { size: 1, limits: { hard: 2, unknown: 1 }, parts: [{ name: 'p', unknown: 1 }] };
      const created = objectIn(await widgets.post(widgets.draft('a', { spec, other: { x: 1 } })), 201);
      expect(created).not.toHaveProperty('other');
      expect(created.spec).toMatchObject({ limits: { hard: 2, soft: 5 }, parts: [{ name: 'p', count: 1 }] });
      expect(created.spec).not.toHaveProperty('limits.unknown');
      expect(created.spec).not.toHaveProperty('parts.0.unknown');
      expect(objectIn(await widgets.get('a'))).toEqual(created);
    },
  },
  {
    rule: 'below x-kubernetes-preserve-unknown-fields everything stays',
    run: async ({ widgets }) => {
      const open = { a: 1, b: { c: [true, { d: null }] }, e: null };
      const created = objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1, open } })), 201);
      expect(created.spec).toHaveProperty('open', open);
    },
  },
  {
    rule: 'the keys of a map with additionalProperties stay',
    run: async ({ widgets }) => {
      const labels = { any: 'x', key: 'y' };
      const created = objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1, labels } })), 201);
      expect(created.spec).toHaveProperty('labels', labels);
    },
  },
  {
    rule: 'an embedded resource keeps its apiVersion, kind and metadata, and is pruned otherwise',
    run: async ({ widgets }) => {
      const template = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { a: 'b' } } };
      const spec = { size: 1, template: { ...template, spec: { unknown: 1 }, other: 1 } };
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect(created.spec).toHaveProperty('template', { ...template, spec: {} });
    },
  },
  {
    rule: 'a status is pruned too',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      const merge = { status: { phase: 'Up', unknown: 1 } };
      const patched = objectIn(await widgets.patch('a', { merge }, { subresource: 'status' }));
      expect(patched.status).toEqual({ phase: 'Up' });
    },
  },
];
