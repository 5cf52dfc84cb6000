/** One numbered page of something that may be another thing by the time the next one is asked for. */
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
