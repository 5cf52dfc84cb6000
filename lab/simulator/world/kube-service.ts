/**
 * The Kubernetes API as a service in the world, and what a client inside a process speaks to it through:
 *
 *     const transport = kube.transport(env.incarnation, identity);
 *     const reply = await transport.request({ method, path, query, body }, { deadlineMs, signal });
 *
 * A reply is an answer (`status`, `body`), a watch, or `broken`. Refused means that nothing was done; after a reset or
 * a timeout the caller cannot know. A watch is started with a sink and delivers event by event. `end('broken')` is a
 * broken connection, `end()` a regular end; the function that the start returns stops the watch. A dead caller gets no
 * answer.
 */
import type { Random } from '../../../src/platform/random.ts';
import { ownIdentity, type Identity } from '../../../src/embedded/kubernetes-api/auth/identity.ts';
import { askedOf } from '../../../src/embedded/kubernetes-api/faults/asked.ts';
import { FaultyServer } from '../../../src/embedded/kubernetes-api/faults/faulty-server.ts';
import type { SchemaChange } from '../../../src/embedded/kubernetes-api/faults/faults.ts';
import { changeSchema } from '../../../src/embedded/kubernetes-api/faults/schema-change.ts';
import type { ControllerSettings } from '../../../src/embedded/kubernetes-api/controllers/all.ts';
import type {
  ApiRequest,
  ApiResponse,
  Broken,
  Watch,
  WatchEvent,
} from '../../../src/embedded/kubernetes-api/request.ts';
import { ApiServer } from '../../../src/embedded/kubernetes-api/server.ts';
import type { Arrival, Asked, Patience, Service } from '../engine/call.ts';
import type { Calls } from '../engine/calls.ts';
import type { EffectFaultKind } from '../faults/effect-fault.ts';
import type { ProcessInstance } from '../engine/process-instance.ts';
import { KubeFaults } from '../faults/kube-faults.ts';
import { LiveView, type Change } from './live-view.ts';
import { objectText, revisionOf, revisionText } from './object-text.ts';
import type { Links } from './network-link.ts';
import type { RandomStreams } from '../engine/random-streams.ts';
import type { Schedule } from '../engine/schedule.ts';
import type { TraceLine } from '../engine/trace.ts';
import { WatchPipe } from './watch-pipe.ts';

export type KubeRequest = Omit<ApiRequest, 'identity'>;
export type KubeReply =
  | ApiResponse
  | { readonly watch: Watch }
  | { readonly broken: Broken['broken'] | 'timeout' };

export interface KubeTransport {
  /** Never rejects. A caller that gives up gets `timeout`; a sent request may still land. */
  request(request: KubeRequest, patience?: Patience): Promise<KubeReply>;
}

export interface KubePorts {
  readonly schedule: Schedule;
  readonly streams: RandomStreams;
  readonly links: Links;
  readonly calls: Calls;
  readonly report: (line: Omit<TraceLine, 'atMs'>) => void;
  /** A fault of the service itself took effect. */
  readonly did: (kind: EffectFaultKind) => void;
  /** Receives everything that is stored where many can read it. */
  readonly sink: (name: string, text: () => string) => void;
}

export interface KubeOptions {
  readonly historyMax?: number;
  readonly controllers?: ControllerSettings;
}

/** Renewals of leases, and reviews in the form of objects: no controller acts on these changes. */
const passing = [' leases.coordination.k8s.io', ' tokenreviews.authentication.k8s.io'];

type KubeAnswer = ApiResponse | { readonly pipe: WatchPipe } | Broken;

export class KubeService implements Service<ApiRequest, KubeAnswer> {
  readonly name = 'kube';
  readonly latencyMs = { least: 1, most: 60 };
  /** The server itself, past all faults: for checkers and tests. */
  readonly server: ApiServer;
  readonly #ports: KubePorts;
  readonly #faults: KubeFaults;
  readonly #faulty: FaultyServer;
  readonly #pipes = new Map<WatchPipe, string>();
  #revision = 0;
  #changedAt: number;

  constructor(ports: KubePorts, options: KubeOptions = {}) {
    this.#ports = ports;
    this.#changedAt = ports.schedule.now;
    const clock = ports.schedule.clock('kube');
    const random: Random = ports.streams.stream('kube');
    this.server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32), ...options });
    this.#faults = new KubeFaults(ports.did);
    this.#faulty = new FaultyServer({ server: this.server, faults: this.#faults, clock });
  }

  transport(caller: ProcessInstance, identity: Identity = ownIdentity): KubeTransport {
    return {
      request: async (request, patience = {}) => {
        const end = await this.#ports.calls.call(this, {
          caller,
          request: { ...request, identity },
          ...patience,
        });
        if ('broken' in end) return end;
        return 'pipe' in end.answer ? { watch: end.answer.pipe.client } : end.answer;
      },
    };
  }

  /** A live view of all objects under a path, for checkers; `reported` receives each change. */
  view(path: string, reported?: (change: Change) => void): LiveView {
    return new LiveView(this.server, path, reported);
  }

  /** When an object last changed by a call; renewals of leases and reviews do not count. */
  get changedAt(): number {
    return this.#changedAt;
  }

  watchesOf(process: string): number {
    return [...this.#pipes.values()].filter((name) => name === process).length;
  }

  breakWatches(): void {
    for (const pipe of this.#pipes.keys()) pipe.break();
  }

  changeSchema(change: Omit<SchemaChange, 'at' | 'kind'>): string {
    return changeSchema(this.server, { kind: 'schema-change', at: this.#ports.schedule.now, ...change });
  }

  ask(request: ApiRequest): Asked {
    const { verb, resource, namespace, name } = askedOf(request);
    const isRead = verb === 'get' || verb === 'list';
    return {
      operation: resource === '' ? `${verb} ${request.path}` : `${verb} ${resource}`,
      about: [namespace, name].filter((part) => part !== '').join('/'),
      isWrite: !isRead && verb !== 'watch',
      kinds: KubeFaults.kindsFor(verb),
      link: verb === 'watch' ? 'kube-watch' : 'kube',
    };
  }

  async apply(request: ApiRequest, arrival: Arrival): Promise<KubeAnswer> {
    const reply = await this.#faults.during(arrival, () => this.#faulty.handle(request));
    if ('watch' in reply) return { pipe: this.#open(reply.watch, arrival) };
    if ('relay' in reply) throw new Error('no kubelet exists in the world');
    if ('status' in reply && arrival.effect.isWrite) this.#note(request, reply, arrival);
    return reply;
  }

  outcome(answer: KubeAnswer): string {
    if ('pipe' in answer) return 'watching';
    return 'broken' in answer ? answer.broken : `${answer.status}${revisionText(answer.body)}`;
  }

  discard(answer: KubeAnswer): void {
    if ('pipe' in answer) answer.pipe.stop();
  }

  #note(request: ApiRequest, { status, body }: ApiResponse, { effect }: Arrival): void {
    if (status >= 300) return;
    if (request.body !== undefined && !effect.operation.endsWith(' secrets'))
      this.#ports.sink(effect.operation, () => JSON.stringify(request.body));
    const revision = revisionOf(body);
    // A response without a revision belongs to a deletion.
    const isChange = revision === undefined || revision > this.#revision;
    const isPassing =
      request.path.endsWith('/token') || passing.some((one) => effect.operation.endsWith(one));
    if (isChange && !isPassing) this.#changedAt = this.#ports.schedule.now;
    this.#revision = Math.max(this.#revision, revision ?? 0);
  }

  #open(watch: Watch, { caller, effect }: Arrival): WatchPipe {
    const { schedule, streams, links } = this.#ports;
    const { least, most } = this.latencyMs;
    const pipe = new WatchPipe({
      schedule,
      link: links.between(caller.process, effect.link),
      caller,
      label: `${effect.id} event`,
      delayMs: (nth) => Math.round(least + (most - least) * streams.draw(effect.key, 2 + nth) ** 3),
      seen: (event) => this.#reportOn(event, caller),
      over: () => void this.#pipes.delete(pipe),
    });
    this.#pipes.set(pipe, caller.process);
    pipe.open(watch);
    return pipe;
  }

  #reportOn({ type, object }: WatchEvent, { label }: ProcessInstance): void {
    if (type === 'BOOKMARK') return;
    this.#ports.report({ who: label, what: `sees ${type} ${objectText(object)}`, outcome: '' });
  }
}
