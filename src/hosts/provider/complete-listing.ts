/**
 * Reads a listing that comes in numbered pages while the set changes.
 *
 * The order is that of creation. A new item is added at the end and moves no other; a deleted item moves all items
 * behind it one place forward. When read from first to last page, an item may move from an unread page to a page
 * already read, and be missed. Counting does not detect that, because a new item makes up for the number. When read
 * from last to first page, an item only moves onto a page still to be read: it may be seen twice, but is never
 * missed. So the first page is read once to learn the total, and once more at the end. A single page with all items
 * was read at one instant and is enough.
 *
 * The totals of the pages only serve as a minimum: a listing with fewer items is incomplete.
 */
import { providerFailure } from './provider-failure.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The total over all pages, as the provider states it. */
  readonly total: number;
}

export interface Pages<Item> {
  /** The request, for messages. */
  readonly doing: string;
  /** The requested page size; a provider may return more or fewer items. */
  readonly pageSize: number;
  /** Pages count from 1. */
  read(page: number): Promise<Page<Item>>;
  idOf(item: Item): string;
}

const passesMax = 3;
/** More than any account rents. A provider that always has one more page must not cause an endless read. */
const pagesMax = 1000;

export async function readAll<Item>(pages: Pages<Item>): Promise<readonly Item[]> {
  for (let pass = 0; pass < passesMax; pass += 1) {
    const found = await readOnce(pages);
    if (found !== undefined) return found;
  }
  throw providerFailure('unavailable', {
    reason: 'ListingShifted',
    message: `${pages.doing}: incomplete listing in each of ${passesMax} passes`,
  });
}

/** Undefined when the listing may be incomplete. */
async function readOnce<Item>(pages: Pages<Item>): Promise<readonly Item[] | undefined> {
  const first = await pages.read(1);
  const length = first.items.length;
  const isShort = length < pages.pageSize;
  if (length === first.total || (length > first.total && isShort)) return distinct(pages, [first]);
  if (length === 0 || first.total / length > pagesMax) return undefined;
  const read = await readForward(pages, Math.max(1, Math.ceil(first.total / length)), first);
  for (let number = read.from - 1; number >= 1; number -= 1) read.pages.unshift(await pages.read(number));
  const found = distinct(pages, read.pages);
  const least = Math.min(...read.pages.map(({ total }) => total), first.total);
  return found.length < least ? undefined : found;
}

/**
 * Reads on from the supposed last page: if the total is too small, the real last page is the first that is not full.
 */
async function readForward<Item>(
  pages: Pages<Item>,
  from: number,
  first: Page<Item>,
): Promise<{ readonly from: number; readonly pages: Page<Item>[] }> {
  const length = first.items.length;
  const seen = new Set(from === 1 ? [] : first.items.map((item) => pages.idOf(item)));
  let number = from;
  let page = await pages.read(number);
  // A page without new items is one that the provider returns for any page number.
  while (page.items.length >= length && page.total !== number * length && number < pagesMax) {
    const ids = page.items.map((item) => pages.idOf(item));
    if (ids.every((id) => seen.has(id))) break;
    for (const id of ids) seen.add(id);
    number += 1;
    page = await pages.read(number);
  }
  return { from: number, pages: [page] };
}

/** In the order of creation. An item on two pages is kept as seen last, which is on the lower page. */
function distinct<Item>(pages: Pages<Item>, read: readonly Page<Item>[]): readonly Item[] {
  const found = new Map<string, Item>();
  for (const item of read.flatMap(({ items }) => items)) {
    const id = pages.idOf(item);
    if (!found.has(id)) found.set(id, item);
  }
  return [...found.values()];
}
