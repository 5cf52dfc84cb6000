/** One numbered page of a list that may change before the next page is read. */
export interface PageNumbers {
  readonly page: number;
  readonly pageSize: number;
}

export function pageOf<Item>(
  all: readonly Item[],
  { page, pageSize }: PageNumbers,
): { readonly items: readonly Item[]; readonly total_count: number } {
  return { items: all.slice((page - 1) * pageSize, page * pageSize), total_count: all.length };
}
