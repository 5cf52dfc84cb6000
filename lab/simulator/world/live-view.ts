/** A live view of the true objects of the API, without repeated reads: for checkers. */
import { ownIdentity as identity } from '../../../src/embedded/kubernetes-api/auth/identity.ts';
import { isJsonObject, type JsonObject } from '../../../src/embedded/kubernetes-api/json.ts';
import type { WatchEvent } from '../../../src/embedded/kubernetes-api/request.ts';
import type { ApiServer } from '../../../src/embedded/kubernetes-api/server.ts';

/** Longer than any run. */
const timeoutSeconds = '10000000000';

export interface Change {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

type ReportChange = (change: Change) => void;

export class LiveView {
  readonly #objects = new Map<string, JsonObject>();
  readonly #reported: ReportChange;
  #changes = 0;

  /** `reported` is called for each change at its instant. */
  constructor(server: ApiServer, path: string, reported: ReportChange = () => undefined) {
    this.#reported = reported;
    const query = { watch: 'true', timeoutSeconds };
    const answer = server.handle({ identity, method: 'GET', path, query });
    if (!('watch' in answer)) throw new Error(`${path} cannot be watched`);
    answer.watch({ event: (event) => this.#take(event), end: () => undefined });
  }

  get objects(): readonly JsonObject[] {
    return [...this.#objects.values()];
  }

  /** The number of changes: a checker that runs after each event can skip unchanged state. */
  get changes(): number {
    return this.#changes;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Looks up by name, with the namespace before it: `default/counter`. */
  get(name: string): JsonObject | undefined {
    return this.#objects.get(name);
  }

  #take({ type, object }: WatchEvent): void {
    if (!isJsonObject(object) || !isJsonObject(object['metadata'])) return;
    this.#changes += 1;
    const { namespace, name } = object['metadata'];
    const key = [namespace, name].filter((part) => typeof part === 'string').join('/');
    const before = this.#objects.get(key);
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, object);
    this.#reported({ before, after: this.#objects.get(key) });
  }
}
