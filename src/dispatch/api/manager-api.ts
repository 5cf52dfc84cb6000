/**
 * The API for the manager: how many Pods a pool could use, and the report that a Pod
 * has ended. Callers authenticate with a ServiceAccount token. Any ServiceAccount of
 * the cluster may read the numbers; only the manager's may end a session.
 */
import type { Clock } from '../../platform/clock.ts';
import type { RunnerIdentities } from './token-review/runner-identities.ts';
import type { JobStore } from '../store/port.ts';
import type { EndedPod } from '../recovery/pods/ended-pods.ts';
import type { PodRef } from '../store/rows.ts';
import type { ApiResponseBody } from './answers.ts';
import { fleetName } from './routes.ts';
import { readStopped, type StoppedReport } from './pod-end-body.ts';

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export interface ManagerApiPorts {
  readonly store: Pick<JobStore, 'signals' | 'podStopped' | 'claims' | 'openSessions'>;
  readonly identities: Pick<RunnerIdentities, 'caller'>;
  readonly clock: Clock;
  readonly manager: ServiceAccountName;
  /** Receives jobs whose state only GitHub knows. */
  readonly podEnded: (ended: EndedPod) => void;
}

export interface ApiResponse {
  readonly status: 200 | 204 | 400 | 401 | 403;
  readonly body?: ApiResponseBody;
}

const unauthorized: ApiResponse = { status: 401, body: { error: 'unauthorized' } };

export class ManagerApi {
  readonly #ports: ManagerApiPorts;

  constructor(ports: ManagerApiPorts) {
    this.#ports = ports;
  }

  async desiredReplicas(token: string | undefined, fleet: unknown): Promise<ApiResponse> {
    const { store, identities, clock } = this.#ports;
    if (token === undefined || (await identities.caller(token)) === undefined) return unauthorized;
    const named = fleetName.safeParse(fleet);
    if (!named.success) return badRequest('fleet must name one pool');
    const signals = await store.signals(named.data, clock.now());
    const body = {
      fleet: named.data,
      claimed: signals.claimed,
      queued: signals.queued,
      p95_concurrent_last_hour: signals.p95LastHour,
      occupied: signals.occupied,
      withheld: signals.withheld,
    };
    return { status: 200, body };
  }

  async podStopped(token: string | undefined, body: Uint8Array): Promise<ApiResponse> {
    const { store, identities, clock, manager, podEnded } = this.#ports;
    const caller = token === undefined ? undefined : await identities.caller(token);
    if (caller === undefined) return unauthorized;
    if (caller.namespace !== manager.namespace || caller.serviceAccount !== manager.name)
      return {
        status: 403,
        body: { error: 'forbidden', message: 'only the ServiceAccount of the manager may report ended Pods' },
      };
    const report = readStopped(body, clock.now());
    if ('problem' in report) return badRequest(report.problem);
    // mutation: ended-pod-reconciles-jobs
    for (const pod of await this.#podsIn(report))
      podEnded({ pod, jobs: await store.podStopped({ pod, at: report.endedAt, ending: report.ending }) });
    return { status: 204 };
  }

  /** Without a uid, the Pods of this name that existed when the Pod ended: a later Pod is another Pod. */
  async #podsIn({ podName: name, podUid, endedAt }: StoppedReport): Promise<readonly PodRef[]> {
    if (podUid !== undefined) return [{ name, uid: podUid }];
    const { store } = this.#ports;
    const claims = (await store.claims()).map(({ pod, claimedAt: since }) => ({ pod, since }));
    const sessions = (await store.openSessions()).map(({ pod, startedAt: since }) => ({ pod, since }));
    const found = [...claims, ...sessions].filter(({ pod, since }) => pod.name === name && since <= endedAt);
    return [...new Map(found.map(({ pod }) => [pod.uid, pod])).values()];
  }
}

function badRequest(message: string): ApiResponse {
  return { status: 400, body: { error: 'bad_request', message } };
}
