/**
 * A server with injected faults, in front of a real one. An in-process caller gets a broken connection as a value; the
 * HTTPS server turns the same value into a broken connection.
 */
import type { Clock } from '../../../platform/clock.ts';
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
    if (run.hasDelay('before')) await run.delay('before');
    const refusal = run.refusal();
    if (refusal !== undefined) return refusal;
    const canBeStale = readsThePresent(request) && asked.resource !== '';
    const answer = this.#server.handle(request, canBeStale ? run.revisionsBehind() : 0);
    if (run.hasDelay('after')) await run.delay('after');
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

  hasDelay(when: 'before' | 'after'): boolean {
    return this.#delays(when).length > 0;
  }

  async delay(when: 'before' | 'after'): Promise<void> {
    for (const fault of this.#delays(when)) {
      this.#ports.did(fault);
      await new Promise<void>((resolve) => void this.#ports.clock.after(fault.ms, resolve));
    }
  }

  #delays(when: 'before' | 'after'): readonly FaultOf<'delay'>[] {
    return this.#faults.filter((fault) => fault.kind === 'delay').filter((delay) => delay.when === when);
  }

  /** The first fault that prevents the request. */
  refusal(): ApiResponse | Broken | undefined {
    const fault = this.#faults.find(({ kind }) => kind === 'fail' || kind === 'disconnect');
    if (fault === undefined) return undefined;
    this.#ports.did(fault);
    if (fault.kind === 'disconnect') return { broken: fault.as };
    return fault.kind === 'fail' ? failure(fault) : undefined;
  }

  revisionsBehind(): number {
    const stale = this.#faults.filter((fault) => fault.kind === 'stale-read');
    for (const fault of stale) this.#ports.did(fault);
    return Math.max(0, ...stale.map(({ byRevisions }) => byRevisions));
  }

  reply(answer: Answer): Reply {
    const { did, clock } = this.#ports;
    const lost = this.#faults.find(({ kind }) => kind === 'lose-reply');
    if (lost !== undefined) {
      did(lost);
      return { broken: 'reset' };
    }
    if (!('watch' in answer)) return answer;
    return { watch: faultyWatch(answer.watch, { faults: this.#faults.filter(isWatchFault), clock, did }) };
  }
}

function failure({ reason, message, retryAfterSeconds }: FaultOf<'fail'>): ApiResponse {
  const text = message ?? `injected fault: ${reason}`;
  const error = new StatusError(reason, text, { retryAfterSeconds });
  return { status: error.code, body: error.toObject(), warnings: [] };
}
