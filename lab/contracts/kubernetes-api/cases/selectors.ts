/** Label and field selectors of lists. */
import { expect } from 'vitest';
import type { Case, Context } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { namesIn, objectIn } from '../kube-object.ts';

const spec = { size: 1 };
const refused = { code: 400, reason: 'BadRequest' };

/** Three widgets: one with tier=web, one with tier=db and zone, one without labels. */
async function plant({ widgets }: Context): Promise<void> {
  const labels = [{ tier: 'web' }, { tier: 'db', zone: 'a' }, undefined];
  for (const [index, name] of ['web', 'db', 'plain'].entries()) {
    const metadata = { ...(labels[index] && { labels: labels[index] }) };
    objectIn(await widgets.post(widgets.draft(name, { metadata, spec })), 201);
  }
}

/** Selector, and the names it selects. */
const labelTable: readonly (readonly [string, readonly string[]])[] = [
  ['tier=web', ['web']],
  ['tier==web', ['web']],
  ['tier!=web', ['db', 'plain']],
  ['tier in (web,db)', ['db', 'web']],
  ['tier notin (web)', ['db', 'plain']],
  ['tier', ['db', 'web']],
  ['!tier', ['plain']],
  ['tier=db,zone=a', ['db']],
  ['tier=db,zone=b', []],
  ['tier,!zone', ['web']],
  ['', ['db', 'plain', 'web']],
];

export const selectorsCases: readonly Case[] = [
  {
    rule: 'label selectors select by equality, set and presence; != and notin match objects without the label',
    run: async (context) => {
      await plant(context);
      const found: (readonly [string, readonly string[]])[] = [];
      for (const [labelSelector] of labelTable) {
        found.push([labelSelector, namesIn(await context.widgets.list({ labelSelector }))]);
      }
      expect(found).toEqual(labelTable);
    },
  },
  {
    rule: 'an invalid label selector is 400',
    run: async ({ widgets, secrets }) => {
      for (const labelSelector of ['a=b=c', 'a in b', ',,', 'a b']) {
        expectFailure(await widgets.list({ labelSelector }), refused);
        expectFailure(await secrets.list({ labelSelector }), refused);
      }
    },
  },
  {
    rule: 'custom resources are selected by name and namespace',
    run: async (context) => {
      await plant(context);
      const { widgets, namespace } = context;
      expect(namesIn(await widgets.list({ fieldSelector: 'metadata.name=db' }))).toEqual(['db']);
      expect(namesIn(await widgets.list({ fieldSelector: 'metadata.name!=db' }))).toEqual(['plain', 'web']);
      const here = `metadata.namespace=${namespace},metadata.name=web`;
      expect(namesIn(await widgets.list({ fieldSelector: here }))).toEqual(['web']);
    },
  },
  {
    rule: 'a selectable field of a CRD selects by its value, defaults included',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('fast', { spec: { size: 1, mode: 'Fast' } })), 201);
      objectIn(await widgets.post(widgets.draft('slow', { spec })), 201);
      expect(namesIn(await widgets.list({ fieldSelector: 'spec.mode=Fast' }))).toEqual(['fast']);
      expect(namesIn(await widgets.list({ fieldSelector: 'spec.mode=Slow' }))).toEqual(['slow']);
    },
  },
  {
    rule: 'an unsupported field in a field selector is 400',
    run: async ({ widgets, configMaps, target }) => {
      expectFailure(await widgets.list({ fieldSelector: 'spec.size=1' }), refused);
      expectFailure(await configMaps.list({ fieldSelector: 'data.x=1' }), refused);
      const watch = { fieldSelector: 'spec.size=1', watch: 'true' };
      expectFailure(await target.request({ method: 'GET', path: widgets.path(), query: watch }), refused);
    },
  },
  {
    rule: 'an invalid field selector is 400',
    run: async ({ widgets }) => {
      expectFailure(await widgets.list({ fieldSelector: 'metadata.name' }), refused);
    },
  },
  {
    rule: 'Secrets are selected by type',
    run: async ({ secrets }) => {
      objectIn(await secrets.post(secrets.draft('a', { type: 'contract/x' })), 201);
      objectIn(await secrets.post(secrets.draft('b')), 201);
      expect(namesIn(await secrets.list({ fieldSelector: 'type=contract/x' }))).toEqual(['a']);
      expect(namesIn(await secrets.list({ fieldSelector: 'type=Opaque' }))).toEqual(['b']);
    },
  },
  {
    rule: 'Events are selected by their object',
    run: async ({ coreEvents, namespace }) => {
      for (const name of ['a', 'b']) {
        const involvedObject = { kind: 'Widget', name, namespace };
        objectIn(await coreEvents.post(coreEvents.draft(name, { involvedObject, reason: 'Tried' })), 201);
      }
      const about = 'involvedObject.kind=Widget,involvedObject.name=b';
      expect(namesIn(await coreEvents.list({ fieldSelector: about }))).toEqual(['b']);
    },
  },
];
