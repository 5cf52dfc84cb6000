/** What the cases of the contract need of whoever runs them: the port, a GitHub behind it, and somebody who meddles with that. */
import type { Secret } from '../../../src/platform/secret.ts';
import type { GitHub, Tenant } from '../../../src/dispatch/github/port.ts';

export type Operation =
  | 'create token'
  | 'register runner'
  | 'list runners'
  | 'get job'
  | 'list deliveries'
  | 'list repositories'
  | 'list jobs';

/** What happens to the next request, or to the next of one kind. */
export type Mishap =
  | { readonly kind: 'refused' | 'reply-lost' }
  | { readonly kind: 'late'; readonly ms: number }
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly body: unknown;
      readonly headers: Readonly<Record<string, string>>;
    };

export interface Fixture {
  readonly github: GitHub;
  /** A repository of an organisation; there is another one beside it. */
  readonly tenant: Tenant;
  readonly accountId: string;
  /** Another organisation. */
  readonly neighbour: Tenant;
  /** A repository of a person. */
  readonly personal: Tenant;
  now(): number;
  pass(ms: number): Promise<void>;
  /** A job is queued; the result is its id. */
  queueJob(tenant: Tenant, labels: readonly string[]): string;
  /** A job that needs an approval. */
  holdJob(tenant: Tenant, labels: readonly string[]): string;
  cancelJob(id: string): void;
  /** Somebody starts a runner with this configuration; its job takes this long. */
  startRunner(jitConfig: Secret, jobMs: number): void;
  /** People register a runner at the repository itself, which happens to get this id. */
  addOwnRunner(tenant: Tenant, id: string): void;
  /** The ids of those at the repository itself. */
  ownRunners(tenant: Tenant): readonly string[];
  suspend(tenant: Tenant): void;
  uninstall(tenant: Tenant): void;
  setRunnerPermission(tenant: Tenant, isGiven: boolean): void;
  revokeTokens(): void;
  throttle(forMs: number, form: 'primary' | 'secondary' | 'too-many'): void;
  /** Waits for nobody: the next request, of this kind if it is named, meets it. */
  next(mishap: Mishap, on?: Operation): void;
  /** How many requests have come. */
  requests(): number;
  /** A request has come and waits for time to pass. */
  requestWaiting(): Promise<void>;
  /** Webhooks are refused by their receiver, or taken again. */
  setReceiver(status: number): void;
  close(): Promise<void>;
}
