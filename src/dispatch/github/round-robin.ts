/** Chooses the repositories of an installation for one poll if there are too many. Pure. */

export interface RepositoryRound {
  /** In the order of GitHub. */
  readonly all: readonly string[];
  /** Preferred repositories: chosen each time, up to half of the limit. */
  readonly first: readonly string[];
  /** Where the last poll ended. */
  readonly after: string | undefined;
  readonly max: number;
}

/** Repositories in polling order; those in `next` rotate between polls. */
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
