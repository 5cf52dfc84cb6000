/**
 * Reads the next page from the `Link` header. Uses only its page or cursor: following the address could send
 * credentials to another host.
 */
export function nextPage(link: string | undefined): Readonly<Record<string, string>> | undefined {
  const [, address = ''] = /<([^<>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '') ?? [];
  if (address === '' || !URL.canParse(address)) return undefined;
  const { searchParams } = new URL(address);
  const query = ['page', 'cursor'].flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return query.length === 0 ? undefined : Object.fromEntries(query);
}
