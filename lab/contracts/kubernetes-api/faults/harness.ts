/** A server with faults, in process and on virtual time, and the requests of the fault tests. */
import { ownIdentity as identity } from '../../../../src/embedded/kubernetes-api/auth/identity.ts';
import type { Random } from '../../../../src/platform/random.ts';
import { VirtualClock } from '../virtual-clock.ts';
import {
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
} from '../../../../src/embedded/kubernetes-api/json.ts';
import { textAt } from '../../../../src/embedded/kubernetes-api/kube-object.ts';
import type {
  ApiRequest,
  Answer,
  Reply,
  WatchEvent,
} from '../../../../src/embedded/kubernetes-api/request.ts';
import { ApiServer } from '../../../../src/embedded/kubernetes-api/server.ts';
import { FaultPlan } from '../../../../src/embedded/kubernetes-api/faults/fault-plan.ts';
import type { Deed } from '../../../../src/embedded/kubernetes-api/faults/faults.ts';
import { FaultyServer } from '../../../../src/embedded/kubernetes-api/faults/faulty-server.ts';
import { parsePlan } from '../../../../src/embedded/kubernetes-api/faults/plan-file.ts';

export const began = Date.UTC(2026, 0, 1);
export const configMaps = '/api/v1/namespaces/default/configmaps';
/** More rounds of microtasks than any request takes. */
const rounds = 20;

export interface Seen {
  readonly events: WatchEvent[];
  /** How the watch ended, once it has. */
  end?: 'ended' | 'broken';
  stop: () => void;
}

/** The numbers of a seed, equal on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return {
    next: () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    },
  };
}

export class FaultHarness {
  readonly clock = new VirtualClock(began);
  readonly deeds: Deed[] = [];
  /** Without the faults: the stored state. */
  readonly server: ApiServer;
  readonly faulty: FaultyServer;

  /** The plan has the form of a plan file. */
  constructor(plan: object, { seed = 1, historyMax = 1000 } = {}) {
    const { clock } = this;
    this.server = new ApiServer({ clock, random: seeded(seed), historyMax, tokenSecret: new Uint8Array(32) });
    const ports = { clock, random: seeded(seed + 1), report: (deed: Deed) => void this.deeds.push(deed) };
    const faults = new FaultPlan(parsePlan(JSON.stringify(plan)), ports);
    this.faulty = new FaultyServer({ server: this.server, faults, clock });
  }

  /** The faults so far: the kind, and the time in milliseconds. */
  get kinds(): readonly string[] {
    return this.deeds.map((deed) => {
      const kind = 'fault' in deed ? deed.fault.kind : `${deed.change.kind} ${deed.outcome}`;
      return `${deed.at - began} ${kind}`;
    });
  }

  /** Sends a request through the faults, and advances time until the answer. */
  async ask(request: Partial<ApiRequest>): Promise<Reply> {
    return this.settle(
      this.faulty.handle({ identity, method: 'GET', path: configMaps, query: {}, ...request }),
    );
  }

  async create(name: string, data: JsonObject = {}): Promise<Reply> {
    return this.ask({ method: 'POST', body: { metadata: { name }, data } });
  }

  /** Sends a create past the faults. */
  createReally(name: string): Answer {
    const body = { metadata: { name } };
    return this.server.handle({ identity, method: 'POST', path: configMaps, query: {}, body });
  }

  /** The stored names. */
  get names(): readonly string[] {
    return namesIn(this.server.handle({ identity, method: 'GET', path: configMaps, query: {} }));
  }

  /** The stored names, each with the revision of its last change. */
  get states(): readonly string[] {
    const { items } = bodyOf(this.server.handle({ identity, method: 'GET', path: configMaps, query: {} }));
    return [items ?? []].flat().map(stateOf);
  }

  async watch(query: Readonly<Record<string, string>> = {}): Promise<Seen> {
    const reply = await this.ask({ query: { watch: 'true', ...query } });
    if (!('watch' in reply)) throw new Error(`the watch was refused: ${JSON.stringify(reply)}`);
    const seen: Seen = { events: [], stop: () => undefined };
    seen.stop = reply.watch({
      event: (event) => void seen.events.push(event),
      end: (how) => void (seen.end = how ?? 'ended'),
    });
    return seen;
  }

  /** Advances time by exactly this amount. */
  pass(ms: number): void {
    const wait = { isOver: false };
    this.clock.after(ms, () => (wait.isOver = true));
    while (!wait.isOver) this.clock.runNext();
    this.clock.runDue();
  }

  /** Advances time, while callers react. */
  async passAwake(ms: number): Promise<void> {
    await this.settle(new Promise<void>((resolve) => void this.clock.after(ms, resolve)));
  }

  /** Advances time until the promise settles. */
  async settle<T>(promise: Promise<T>): Promise<T> {
    const pending = Symbol('pending');
    for (;;) {
      const state = await Promise.race([promise, afterRuns(rounds, pending)]);
      if (state !== pending) return promise;
      if (!this.clock.runNext()) throw new Error('no timer is left');
    }
  }
}

async function afterRuns<T>(count: number, value: T): Promise<T> {
  for (let round = 0; round < count; round += 1) await Promise.resolve();
  return value;
}

export function bodyOf(reply: Reply): JsonObject {
  return 'body' in reply ? reply.body : {};
}

export function namesIn(reply: Reply): readonly string[] {
  const { items } = bodyOf(reply);
  return isJsonList(items ?? null) ? [items ?? []].flat().map(nameOf) : [];
}

export function nameOf(object: Json): string {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  return isJsonObject(metadata) ? (textAt(metadata, 'name') ?? '') : '';
}

export function stateOf(object: Json): string {
  return `${nameOf(object)} at ${revisionOf(object)}`;
}

export function revisionOf(object: Json): number {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  return isJsonObject(metadata) ? Number(metadata['resourceVersion']) : Number.NaN;
}
