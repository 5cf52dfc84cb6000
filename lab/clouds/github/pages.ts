/** A listing in pages, like GitHub: the total, and the address of the next page in a header. */
import type { SiteReply } from './site-request.ts';
import type { WireBody } from './wire-bodies.ts';

interface Page {
  readonly page: number;
  readonly perPage: number;
}

/** `listing` has one field, whose list is split into pages. */
export function paged(
  address: string,
  { page, perPage }: Page,
  listing: Readonly<Record<string, readonly WireBody[]>>,
): SiteReply {
  const [[field, bodies] = ['', []]] = Object.entries(listing);
  const shown = bodies.slice((page - 1) * perPage, page * perPage);
  const next = `<${address}?per_page=${perPage}&page=${page + 1}>; rel="next"`;
  return {
    status: 200,
    body: { total_count: bodies.length, [field]: shown },
    headers: page * perPage < bodies.length ? { link: next } : {},
  };
}
