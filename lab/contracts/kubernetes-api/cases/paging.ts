/** Lists in pages: limit and continue. */
import { expect } from 'vitest';
import type { Case, Context } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { listIn, namesIn, objectIn, type KubeList } from '../kube-object.ts';

const spec = { size: 1 };

async function plant({ widgets }: Context): Promise<void> {
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const metadata = { labels: { half: name < 'c' ? 'first' : 'second' } };
    objectIn(await widgets.post(widgets.draft(name, { metadata, spec })), 201);
  }
}

function shown({ items, metadata }: KubeList): readonly unknown[] {
  return [items.map((item) => item.metadata.name), metadata.remainingItemCount];
}

function tokenOf({ metadata }: KubeList): string {
  expect(metadata.continue).toMatch(/./);
  return metadata.continue ?? '';
}

export const pagingCases: readonly Case[] = [
  {
    rule: 'a list with a limit comes in pages with the number of remaining items',
    run: async (context) => {
      await plant(context);
      const { widgets } = context;
      const first = listIn(await widgets.list({ limit: '2' }));
      expect(shown(first)).toEqual([['a', 'b'], 3]);
      const second = listIn(await widgets.list({ limit: '2', continue: tokenOf(first) }));
      expect(shown(second)).toEqual([['c', 'd'], 1]);
      const third = listIn(await widgets.list({ limit: '2', continue: tokenOf(second) }));
      expect(shown(third)).toEqual([['e'], undefined]);
      expect(third.metadata.continue ?? '').toBe('');
    },
  },
  {
    rule: 'all pages show the state and the revision of the first one',
    run: async (context) => {
      await plant(context);
      const { widgets } = context;
      const first = listIn(await widgets.list({ limit: '2' }));
      expect(await widgets.delete('d')).toMatchObject({ status: 200 });
      objectIn(await widgets.post(widgets.draft('bb', { spec })), 201);
      objectIn(await widgets.patch('c', { merge: { spec: { size: 9 } } }));
      const rest = listIn(await widgets.list({ limit: '9', continue: tokenOf(first) }));
      expect(shown(rest)).toEqual([['c', 'd', 'e'], undefined]);
      expect(rest.items[0]?.spec).toMatchObject({ size: 1 });
      expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      expect(namesIn(await widgets.list())).toEqual(['a', 'b', 'bb', 'c', 'e']);
    },
  },
  {
    rule: 'a list below its limit is whole and has no token',
    run: async (context) => {
      await plant(context);
      for (const limit of ['5', '50', '0']) {
        const list = listIn(await context.widgets.list({ limit }));
        expect(shown(list)).toEqual([['a', 'b', 'c', 'd', 'e'], undefined]);
        expect(list.metadata.continue ?? '').toBe('');
      }
    },
  },
  {
    rule: 'a page under a selector has no number of remaining items',
    run: async (context) => {
      await plant(context);
      const { widgets } = context;
      const labelSelector = 'half=second';
      const first = listIn(await widgets.list({ limit: '2', labelSelector }));
      expect(shown(first)).toEqual([['c', 'd'], undefined]);
      const second = listIn(await widgets.list({ limit: '2', labelSelector, continue: tokenOf(first) }));
      expect(shown(second)).toEqual([['e'], undefined]);
    },
  },
  {
    rule: 'pages of builtins work the same way',
    run: async ({ secrets }) => {
      for (const name of ['a', 'b', 'c']) objectIn(await secrets.post(secrets.draft(name)), 201);
      const first = listIn(await secrets.list({ limit: '2' }));
      expect(shown(first)).toEqual([['a', 'b'], 1]);
      const second = listIn(await secrets.list({ limit: '2', continue: tokenOf(first) }));
      expect(shown(second)).toEqual([['c'], undefined]);
    },
  },
  {
    rule: 'an invalid token is 400',
    run: async ({ widgets }) => {
      const refused = await widgets.list({ limit: '2', continue: 'not-a-token' });
      expectFailure(refused, { code: 400, reason: 'BadRequest' });
    },
  },
  {
    rule: 'a token together with a revision is 400',
    run: async (context) => {
      await plant(context);
      const first = listIn(await context.widgets.list({ limit: '2' }));
      const { resourceVersion } = first.metadata;
      const both = { limit: '2', continue: tokenOf(first), resourceVersion };
      expectFailure(await context.widgets.list(both), { code: 400, reason: 'BadRequest' });
    },
  },
];
