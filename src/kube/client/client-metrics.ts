/** Metrics of the requests of a client. */
import { kubeMetrics as catalogue } from '../metric-definitions.ts';
import { CountersBy, type Counter, type Histogram, type Metrics } from '../../platform/metrics.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** The verb and the resource of a request. */
export interface RequestKind {
  readonly verb: Verb;
  /** The plural of the resource. */
  readonly resource: string;
}

export class ClientMetrics {
  readonly #metrics: Metrics;
  readonly #throttled: Counter;
  readonly #seconds = new Map<Verb, Histogram>();
  /** By verb and resource; the codes depend on the answers. */
  readonly #requests = new Map<string, CountersBy>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.#throttled = metrics.counter(catalogue.throttled, {});
  }

  throttled(ms: number): void {
    if (ms > 0) this.#throttled.add(ms / 1000);
  }

  /** `status` is undefined without an answer. */
  answered(kind: RequestKind, status: number | undefined, ms: number): void {
    this.#secondsOf(kind.verb).observe(ms / 1000);
    this.#requestsOf(kind).add(status === undefined ? 'none' : String(status));
  }

  #secondsOf(verb: Verb): Histogram {
    const known = this.#seconds.get(verb) ?? this.#metrics.histogram(catalogue.seconds, { verb });
    this.#seconds.set(verb, known);
    return known;
  }

  #requestsOf({ verb, resource }: RequestKind): CountersBy {
    const key = `${verb} ${resource}`;
    const known =
      this.#requests.get(key) ??
      new CountersBy((code) => this.#metrics.counter(catalogue.requests, { verb, resource, code }));
    this.#requests.set(key, known);
    return known;
  }
}
