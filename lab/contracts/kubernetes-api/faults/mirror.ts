/** A client that copies the ConfigMaps like a controller: it lists, watches, resumes, and lists again if needed. */
import { ownIdentity as identity } from '../../../../src/embedded/kubernetes-api/auth/identity.ts';
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { WatchEvent } from '../../../../src/embedded/kubernetes-api/request.ts';
import { bodyOf, configMaps, nameOf, revisionOf, stateOf, type FaultHarness } from './harness.ts';

const pauseMs = 700;

export class Mirror {
  readonly #harness: FaultHarness;
  readonly #objects = new Map<string, Json>();
  /** Undefined: the client must list again. */
  #revision: number | undefined;

  constructor(harness: FaultHarness) {
    this.#harness = harness;
    void this.#run();
  }

  get states(): readonly string[] {
    return [...this.#objects.values()].map(stateOf).toSorted();
  }

  /** Runs until the test ends. */
  async #run(): Promise<void> {
    for (;;) {
      if (this.#revision === undefined) await this.#list();
      if (this.#revision !== undefined) await this.#watch(this.#revision);
      await new Promise<void>((resolve) => void this.#harness.clock.after(pauseMs, resolve));
    }
  }

  async #list(): Promise<void> {
    const reply = await this.#harness.faulty.handle({ identity, method: 'GET', path: configMaps, query: {} });
    if (!('status' in reply) || reply.status !== 200) return;
    const { items } = bodyOf(reply);
    this.#objects.clear();
    for (const item of Array.isArray(items) ? items : []) this.#objects.set(nameOf(item), item);
    this.#revision = revisionOf(bodyOf(reply));
  }

  async #watch(revision: number): Promise<void> {
    const query = { watch: 'true', resourceVersion: String(revision) };
    const reply = await this.#harness.faulty.handle({ identity, method: 'GET', path: configMaps, query });
    if (!('watch' in reply)) return;
    const over = Promise.withResolvers<void>();
    reply.watch({ event: (event) => this.#take(event), end: () => over.resolve() });
    await over.promise;
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      this.#revision = undefined;
      return;
    }
    if (type === 'DELETED') this.#objects.delete(nameOf(object));
    else this.#objects.set(nameOf(object), object);
    this.#revision = revisionOf(object);
  }
}
