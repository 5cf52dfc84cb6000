/** What the cases of the contract need: the port, a GitHub behind the port, and a way to inject faults. */
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

/** A fault for the next request, or for the next request of one kind. */
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
  /** A repository of an organization that has another repository too. */
  readonly tenant: Tenant;
  readonly accountId: string;
  /** Another organization. */
  readonly neighbour: Tenant;
  /** A repository of a person. */
  readonly personal: Tenant;
  now(): number;
  pass(ms: number): Promise<void>;
  /** Queues a job; returns its id. */
  queueJob(tenant: Tenant, labels: readonly string[]): string;
  /** Queues a job that needs an approval. */
  holdJob(tenant: Tenant, labels: readonly string[]): string;
  cancelJob(id: string): void;
  /** Starts a runner with this configuration; its job takes this long. */
  startRunner(jitConfig: Secret, jobMs: number): void;
  /** A person registers a runner at the repository itself; the runner gets this id. */
  addOwnRunner(tenant: Tenant, id: string): void;
  /** The ids of the runners at the repository itself. */
  ownRunners(tenant: Tenant): readonly string[];
  suspend(tenant: Tenant): void;
  uninstall(tenant: Tenant): void;
  setRunnerPermission(tenant: Tenant, isGiven: boolean): void;
  revokeTokens(): void;
  throttle(forMs: number, form: 'primary' | 'secondary' | 'too-many'): void;
  /** Injects a fault into the next request, of this kind if named. Does not wait. */
  next(mishap: Mishap, on?: Operation): void;
  /** The number of requests so far. */
  requests(): number;
  /** Resolves when a request has come and waits for time to pass. */
  requestWaiting(): Promise<void>;
  /** Sets the status that the webhook receiver returns. */
  setReceiver(status: number): void;
  close(): Promise<void>;
}
