/** The objects of GitHub, as far as Muster sees them. Ids are texts: they are larger than a number holds. */
export interface Account {
  readonly id: string;
  readonly login: string;
  readonly type: 'Organization' | 'User';
  readonly createdAt: number;
}

export interface Repository {
  readonly id: string;
  readonly name: string;
  /** owner/name. */
  readonly fullName: string;
  readonly owner: Account;
  readonly createdAt: number;
}

export interface Installation {
  readonly id: string;
  readonly account: Account;
  readonly createdAt: number;
  state: 'active' | 'suspended' | 'removed';
  changedAt: number;
  /** Whether the installation has the permission to manage runners. */
  mayManageRunners: boolean;
}

export interface Job {
  readonly id: string;
  readonly runId: string;
  readonly runAttempt: number;
  readonly repository: Repository;
  readonly name: string;
  readonly workflow: string;
  readonly branch: string;
  readonly commit: string;
  readonly labels: readonly string[];
  readonly createdAt: number;
  status: 'waiting' | 'queued' | 'in_progress' | 'completed';
  conclusion: Conclusion | undefined;
  startedAt: number | undefined;
  completedAt: number | undefined;
  runner: { readonly id: string; readonly name: string } | undefined;
}

export const conclusions = ['success', 'failure', 'cancelled', 'skipped'] as const;
export type Conclusion = (typeof conclusions)[number];

/** The scope of a runner: all repositories of an organization, or one. */
export interface RunnerScope {
  readonly kind: 'organisation' | 'repository';
  /** The login, or owner/name; compared case-insensitively, like every name. */
  readonly name: string;
}

export interface Runner {
  readonly id: string;
  readonly name: string;
  readonly scope: RunnerScope;
  readonly labels: readonly string[];
  readonly workFolder: string;
  readonly jitConfig: string;
  readonly registeredAt: number;
  state: 'registered' | 'online' | 'busy' | 'lost' | 'gone';
}

export function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

export function covers(scope: RunnerScope, repository: Repository): boolean {
  const name = scope.kind === 'organisation' ? repository.owner.login : repository.fullName;
  return isSameName(scope.name, name);
}
