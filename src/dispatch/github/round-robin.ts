/** Which repositories of an installation a look takes, where it may not take all of them. Pure. */

export interface RepositoryRound {
  /** As GitHub lists them. */
  readonly all: readonly string[];
  /** Those that matter most: they are taken each time, as far as they are no more than half of what is taken. */
  readonly first: readonly string[];
  /** Where the last look ended. */
  readonly after: string | undefined;
  readonly max: number;
}

/** In the order in which they are looked at; `next` are those that take turns, in the order of their turns. */
export function repositoriesRoundRobin({ all, first, after, max }: RepositoryRound): {
  readonly head: readonly string[];
  readonly next: readonly string[];
} {
  const wanted = new Set(first.map((name) => name.toLowerCase()));
  const head = all.filter((name) => wanted.has(name.toLowerCase())).slice(0, Math.floor(max / 2));
  const taken = new Set(head);
  const start = after === undefined ? 0 : all.indexOf(after) + 1;
  const rest = [...all.slice(start), ...all.slice(0, start)].filter((name) => !taken.has(name));
  return { head, next: rest.slice(0, max - head.length) };
}
