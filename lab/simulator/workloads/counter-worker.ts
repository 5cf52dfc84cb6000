/**
 * A worker that counts: it watches its order, reads the counter, and writes the next number if no other write came
 * first.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../src/embedded/kubernetes-api/json.ts';
import type { KubeReply, KubeTransport } from '../world/kube-service.ts';
import type { Inhabitant, ProcessEnv } from '../engine/process.ts';

export const path = '/api/v1/namespaces/default/configmaps';

export interface CounterWorkerOptions {
  readonly env: ProcessEnv;
  /** When in the round the worker counts. */
  readonly workMs: number;
  readonly transport: KubeTransport;
  /** The mistake to make. */
  readonly bug: string | undefined;
  readonly resyncMs: number;
  /** The worker has no use for the password, and must only keep it secret. */
  readonly password: string;
  /** Called when the API confirmed that the number is stored. */
  readonly acknowledged: (count: number) => void;
  readonly happened: (premise: string) => void;
}

const deadlineMs = 10_000;
const pauseMs = 5000;
/** Each worker has a slot in the round, so that workers seldom conflict. No invariant may rely on the slots. */
const roundMs = 20_000;
const looksEveryMs = 60_000;

export class CounterWorker implements Inhabitant {
  readonly #options: CounterWorkerOptions;
  readonly done: Promise<void>;
  #ordered = 0;
  /** The last count that the worker knows of, and the time of its last read. */
  #counted = -1;
  #lookedAt = 0;
  #revision = '';
  #isStopping = false;
  #stopWatch: () => void = () => undefined;
  /** Only with a mistake: the count that the worker assumes to be stored. */
  #believed = 0;

  constructor(options: CounterWorkerOptions) {
    this.#options = options;
    this.done = Promise.all([this.#count(), this.#follow()]).then(() => undefined);
  }

  stop(): void {
    this.#isStopping = true;
    this.#stopWatch();
  }

  async #count(): Promise<void> {
    while (!this.#isStopping) {
      await this.#sleep(this.#untilSlotMs());
      if (!this.#mayHaveWork()) continue;
      const counter = await this.#get('counter');
      if (counter === undefined) continue;
      this.#lookedAt = this.#options.env.clock.now();
      const numbers = numbersIn(counter['data']);
      this.#counted = Math.max(numbers[this.#name] ?? 0, this.#believed);
      if (this.#counted < this.#ordered)
        await this.#writeNext(counter, { ...numbers, [this.#name]: this.#counted });
    }
  }

  #untilSlotMs(): number {
    const { env, workMs } = this.#options;
    return roundMs - ((((env.clock.now() - workMs) % roundMs) + roundMs) % roundMs);
  }

  /** A clock that was set back must not stop the reads. */
  #mayHaveWork(): boolean {
    const sinceMs = this.#options.env.clock.now() - this.#lookedAt;
    return this.#counted < this.#ordered || sinceMs >= looksEveryMs || sinceMs < 0;
  }

  async #writeNext(counter: JsonObject, numbers: Readonly<Record<string, number>>): Promise<void> {
    const { bug } = this.#options;
    const next = (numbers[this.#name] ?? 0) + 1;
    const data = texts({ ...numbers, sum: (numbers['sum'] ?? 0) + 1, [this.#name]: next });
    const metadata = bug === 'lost-update' ? { name: 'counter' } : (counter['metadata'] ?? {});
    this.#learn(await this.#request('PUT', 'counter', { ...counter, metadata, data }), next);
  }

  #learn(reply: KubeReply, next: number): void {
    const { bug, happened, acknowledged, env, password } = this.#options;
    if ('broken' in reply) {
      happened('a worker was not answered');
      if (bug === 'double-count') this.#believed = next;
    }
    if (!('status' in reply)) return;
    if (reply.status === 200) acknowledged(next);
    if (reply.status === 409) happened('a write was refused because another came first');
    if (reply.status >= 400 && bug === 'told-secret') env.log(`refused although I said ${password}`);
  }

  /** Receives orders by a watch; the next resync finds what the watch missed. */
  async #follow(): Promise<void> {
    while (!this.#isStopping) {
      const orders = await this.#get('orders');
      if (orders === undefined) {
        await this.#sleep(pauseMs);
        continue;
      }
      this.#take(orders);
      if (this.#options.bug !== 'leaked-watch') this.#stopWatch();
      await this.#watch();
    }
  }

  /** Runs until the watch ends, or until the next resync. */
  async #watch(): Promise<void> {
    const query = { watch: 'true', fieldSelector: 'metadata.name=orders', resourceVersion: this.#revision };
    const reply = await this.#options.transport.request({ method: 'GET', path, query }, { deadlineMs });
    if (!('watch' in reply)) {
      await this.#sleep(pauseMs);
      return;
    }
    const over = Promise.withResolvers<void>();
    const cancel = this.#options.env.clock.after(this.#options.resyncMs, over.resolve);
    this.#stopWatch = reply.watch({
      event: ({ object }) => isJsonObject(object) && this.#take(object),
      end: () => void this.#options.env.clock.after(pauseMs, over.resolve),
    });
    await over.promise;
    cancel();
  }

  #take(orders: JsonObject): void {
    if (orders['kind'] !== 'ConfigMap') return;
    const { metadata, data } = orders;
    const revision = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
    if (typeof revision === 'string') this.#revision = revision;
    this.#ordered = Math.max(this.#ordered, numbersIn(data)[this.#name] ?? 0);
  }

  get #name(): string {
    return this.#options.env.name;
  }

  async #get(name: string): Promise<JsonObject | undefined> {
    const reply = await this.#request('GET', name);
    return 'status' in reply && reply.status === 200 ? reply.body : undefined;
  }

  #request(method: 'GET' | 'PUT', name: string, body?: Json): Promise<KubeReply> {
    const request = { method, path: `${path}/${name}`, query: {}, body };
    return this.#options.transport.request(request, { deadlineMs });
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.env.clock.after(ms, resolve));
  }
}

/** The numbers in the data of a ConfigMap, which holds only text. */
export function numbersIn(data: Json | undefined): Readonly<Record<string, number>> {
  if (!isJsonObject(data)) return {};
  return Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Number(text)]));
}

function texts(numbers: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, String(number)]));
}
