/**
 * A server with injected faults, in front of a real one. An in-process caller gets a broken connection as a value; the
 * HTTPS server turns the same value into a broken connection.
 */
import type { Clock } from '../../../platform/clock.ts';
import { sleep } from '../../../platform/sleep.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { Identity } from '../auth/identity.ts';
import {
  readsThePresent,
  type Answer,
  type ApiRequest,
  type ApiResponse,
  type Broken,
  type Handler,
  type Reply,
} from '../request.ts';
import type { ApiServer } from '../server.ts';
import { StatusError } from '../status-error.ts';
import { StoppableClock } from '../stoppable-clock.ts';
import { askedOf } from './asked.ts';
import { isWatchFault, type Fault, type FaultOf } from './fault.ts';
import type { Faults } from './faults.ts';
import { faultyWatch } from './faulty-watch.ts';
import { changeSchema } from './schema-change.ts';

export interface FaultyServerOptions {
  readonly server: ApiServer;
  readonly faults: Faults;
  readonly clock: Clock;
}

export class FaultyServer implements Handler {
  readonly #server: ApiServer;
  readonly #faults: Faults;
  readonly #clock: StoppableClock;

  constructor({ server, faults, clock }: FaultyServerOptions) {
    this.#server = server;
    this.#faults = faults;
    this.#clock = new StoppableClock(clock);
    for (const change of faults.changes) {
      this.#clock.after(Math.max(0, change.at - clock.now()), () => {
        const outcome = changeSchema(server, change);
        faults.did({ at: clock.now(), change, outcome });
      });
    }
  }

  /** Delayed requests are dropped, and their callers get no answer. */
  close(): void {
    this.#clock.stop();
  }

  durable(): Promise<void> {
    return this.#server.durable();
  }

  identify(credentials: Credentials): Identity {
    return this.#server.identify(credentials);
  }

  authorize(request: ApiRequest): void {
    this.#server.authorize(request);
  }

  /** Without a delay the request is done before this returns its promise. */
  async handle(request: ApiRequest): Promise<Reply> {
    const asked = askedOf(request);
    const run = new FaultyRun(this.#faults.decide(asked), {
      clock: this.#clock,
      did: (fault) => this.#faults.did({ at: this.#clock.now(), fault, asked }),
    });
    if (run.has('late')) await run.delay('late');
    const refusal = run.refusal();
    if (refusal !== undefined) return refusal;
    const canBeStale = readsThePresent(request) && asked.resource !== '';
    const answer = this.#server.handle(request, canBeStale ? run.revisionsBehind() : 0);
    if (run.has('slow-reply')) await run.delay('slow-reply');
    return run.reply(answer);
  }
}

interface RunPorts {
  readonly clock: Clock;
  readonly did: (fault: Fault) => void;
}

/** One request with its faults. */
class FaultyRun {
  readonly #faults: readonly Fault[];
  readonly #ports: RunPorts;

  constructor(faults: readonly Fault[], ports: RunPorts) {
    this.#faults = faults;
    this.#ports = ports;
  }

  has(kind: Fault['kind']): boolean {
    return this.#faults.some((fault) => fault.kind === kind);
  }

  async delay(kind: 'late' | 'slow-reply'): Promise<void> {
    for (const fault of this.#faults) {
      if (fault.kind !== kind) continue;
      this.#ports.did(fault);
      await sleep(this.#ports.clock, fault.ms);
    }
  }

  /** The first that prevents anything from being done; one is enough. */
  refusal(): ApiResponse | Broken | undefined {
    const fault = this.#faults.find(
      (one) => one.kind === 'error' || one.kind === 'refused' || one.kind === 'reset',
    );
    if (fault === undefined) return undefined;
    this.#ports.did(fault);
    return fault.kind === 'error' ? failure(fault) : { broken: fault.kind };
  }

  revisionsBehind(): number {
    const stale = this.#faults.filter((fault) => fault.kind === 'stale-read');
    for (const fault of stale) this.#ports.did(fault);
    return Math.max(0, ...stale.map(({ byRevisions }) => byRevisions));
  }

  reply(answer: Answer): Reply {
    const { did, clock } = this.#ports;
    const lost = this.#faults.find(({ kind }) => kind === 'reply-lost');
    if (lost !== undefined) {
      did(lost);
      return { broken: 'reset' };
    }
    if (!('watch' in answer)) return answer;
    return { watch: faultyWatch(answer.watch, { faults: this.#faults.filter(isWatchFault), clock, did }) };
  }
}

function failure({ reason, message, retryAfterSeconds }: FaultOf<'error'>): ApiResponse {
  const text = message ?? `a fault that was asked for: ${reason}`;
  const error = new StatusError(reason, text, { retryAfterSeconds });
  return { status: error.code, body: error.toObject(), warnings: [] };
}
