/** What to ask for next, out of the `Link` header. Only its numbers are used: an address to go to could be anybody's. */
export function nextPage(link: string | undefined): Readonly<Record<string, string>> | undefined {
  const [, address = ''] = /<([^<>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '') ?? [];
  if (address === '' || !URL.canParse(address)) return undefined;
  const { searchParams } = new URL(address);
  const slot = ['page', 'cursor'].flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return slot.length === 0 ? undefined : Object.fromEntries(slot);
}
