import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAll, type Page } from './complete-listing.ts';

/** A listing in the order of creation. The `changes` are applied one by one, each after a page was read. */
class LiveSet {
  readonly ids: string[];
  readonly #changes: (() => void)[];
  asked = 0;

  constructor(count: number, changes: readonly ((ids: string[]) => void)[] = []) {
    this.ids = Array.from({ length: count }, (_, index) => `s${index}`);
    this.#changes = changes.map((change) => () => change(this.ids));
  }

  read(page: number, pageSize: number): Page<string> {
    this.asked += 1;
    const items = this.ids.slice((page - 1) * pageSize, page * pageSize);
    const total = this.ids.length;
    this.#changes.shift()?.();
    return { items, total };
  }
}

function list(read: (page: number) => Page<string>, pageSize = 3): Promise<readonly string[]> {
  return readAll({ doing: 'list', pageSize, read: async (page) => read(page), idOf: (item) => item });
}

function take(id: string): (ids: string[]) => void {
  return (ids) => void (ids.includes(id) && ids.splice(ids.indexOf(id), 1));
}

describe('a listing in pages', () => {
  it.for([
    [0, 1],
    [2, 1],
    [3, 1],
    [4, 3],
    [9, 4],
  ] as const)('of %i servers without changes is read with %i requests', async ([count, requests]) => {
    const set = new LiveSet(count);
    expect(await list((page) => set.read(page, 3))).toEqual(set.ids);
    expect(set.asked).toBe(requests);
  });

  it('misses no server when one is deleted and another created, so that the count is equal', async () => {
    const set = new LiveSet(6, [(ids) => (take('s1')(ids), ids.push('new'))]);
    expect(await list((page) => set.read(page, 3))).toEqual(['s0', 's2', 's3', 's4', 's5', 'new']);
  });

  it('that changes all the time is a failure after some passes', async () => {
    let made = 0;
    const set = new LiveSet(
      9,
      Array.from({ length: 99 }, () => (ids) => (ids.shift(), ids.push(`n${(made += 1)}`))),
    );
    await expect(list((page) => set.read(page, 3))).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'ListingShifted',
    });
    expect(set.asked).toBe(12);
  });

  it('contains a server of two pages once, as seen last', async () => {
    const pages = [
      { items: ['a1', 'b1', 'c1'], total: 4 },
      { items: ['c2', 'd1'], total: 4 },
    ];
    const read = async (page: number): Promise<Page<string>> => pages[page - 1] ?? { items: [], total: 4 };
    const found = await readAll({ doing: 'list', pageSize: 3, read, idOf: (item) => item.slice(0, 1) });
    expect(found).toEqual(['a1', 'b1', 'c1', 'd1']);
  });

  it.for<[string, (page: number) => Page<string>]>([
    ['with fewer servers than its total', () => ({ items: ['a'], total: 2 })],
    ['with the same page for ever', () => ({ items: ['a', 'b', 'c'], total: 9 })],
    ['that is empty despite its total', () => ({ items: [], total: 1 })],
    ['with the same page for ever, and a total between', () => ({ items: ['a', 'b', 'c'], total: 4 })],
  ])('%s is a failure, and soon', async ([, read]) => {
    let asked = 0;
    const counted = (page: number): Page<string> => {
      asked += 1;
      return read(page);
    };
    await expect(list(counted)).rejects.toMatchObject({ reason: 'ListingShifted' });
    expect(asked).toBeLessThanOrEqual(12);
  });

  it('with too small a total is read up to the short page', async () => {
    const set = new LiveSet(7);
    expect(await list((page) => ({ ...set.read(page, 3), total: 1 }))).toHaveLength(7);
  });

  it('with pages of an unrequested size is read completely', async () => {
    const [small, large] = [new LiveSet(7), new LiveSet(7)];
    expect(await list((page) => small.read(page, 2), 100)).toHaveLength(7);
    expect(await list((page) => large.read(page, 50), 2)).toHaveLength(7);
  });

  it('contains every server that existed all the time, whatever else changes', async () => {
    const change = fc.oneof(
      fc.constant(() => undefined),
      fc.nat(30).map((place) => (ids: string[]) => void ids.splice(place % (ids.length + 1), 1)),
      fc.uuid().map((id) => (ids: string[]) => void ids.push(id)),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.array(change, { maxLength: 12 }), async (count, changes) => {
        const set = new LiveSet(count, changes);
        const atFirst = [...set.ids];
        const [end] = await Promise.allSettled([list((page) => set.read(page, 3))]);
        const stayed = atFirst.filter((id) => set.ids.includes(id));
        expect(end.status === 'rejected' ? stayed : end.value).toEqual(expect.arrayContaining(stayed));
      }),
      { numRuns: 2000 },
    );
  });
});
