/**
 * Reads a listing that comes in numbered pages, while what is listed comes and goes.
 *
 * The order is that of creation. So a newcomer stands at the end and moves nobody, but each one that leaves moves all
 * behind it one place forward. Read from the first page to the last, somebody may then slip from a page that was not
 * read yet onto one that was, and is seen on neither; and counting does not show it, since a newcomer makes up for the
 * number. Read from the last page to the first, whoever moves, moves onto a page that is still to be read: it may be seen
 * twice, but never missed. So the first page is read once to learn how many there are, and once more at the end. One page
 * that holds all of them was read at one instant, and is enough.
 *
 * The totals that come with the pages are not trusted further than this: fewer than that are not all.
 */
import { providerFailure } from './provider-failure.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many there are on all pages, as the provider says. */
  readonly total: number;
}

export interface Pages<Item> {
  /** What was asked for, for people. */
  readonly doing: string;
  /** How many were asked for on each page; a provider may give more or fewer. */
  readonly pageSize: number;
  /** Pages count from 1. */
  read(page: number): Promise<Page<Item>>;
  idOf(item: Item): string;
}

const passesMax = 3;
/** More than anybody rents; a provider that always has one more page must not keep us for ever. */
const pagesMax = 1000;

export async function readAll<Item>(pages: Pages<Item>): Promise<readonly Item[]> {
  for (let pass = 0; pass < passesMax; pass += 1) {
    const found = await readOnce(pages);
    if (found !== undefined) return found;
  }
  throw providerFailure('unavailable', {
    reason: 'ListingShifted',
    message: `${pages.doing}: fewer were listed than there are, in each of ${passesMax} readings`,
  });
}

/** Undefined when it may not be all. */
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

/** From what should be the last page, on to what is: where the total is too small, the last page is the one that is not full. */
async function readForward<Item>(
  pages: Pages<Item>,
  from: number,
  first: Page<Item>,
): Promise<{ readonly from: number; readonly pages: Page<Item>[] }> {
  const length = first.items.length;
  const seen = new Set(from === 1 ? [] : first.items.map((item) => pages.idOf(item)));
  let number = from;
  let page = await pages.read(number);
  // A page that shows nobody new is one that the provider gives whatever number is asked for.
  while (page.items.length >= length && page.total !== number * length && number < pagesMax) {
    const ids = page.items.map((item) => pages.idOf(item));
    if (ids.every((id) => seen.has(id))) break;
    for (const id of ids) seen.add(id);
    number += 1;
    page = await pages.read(number);
  }
  return { from: number, pages: [page] };
}

/** In the order of creation; one that is on two pages is one, as it was seen last, which is on the lower page. */
function distinct<Item>(pages: Pages<Item>, read: readonly Page<Item>[]): readonly Item[] {
  const found = new Map<string, Item>();
  for (const item of read.flatMap(({ items }) => items)) {
    const id = pages.idOf(item);
    if (!found.has(id)) found.set(id, item);
  }
  return [...found.values()];
}
