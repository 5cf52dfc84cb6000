/** One call, from the send until the caller has the answer, gives up, or is dead. */
import { findFault, isServiceFault, type EffectFault, type ServiceFault } from '../faults/effect-fault.ts';
import type { ProcessInstance } from './process-instance.ts';
import type { Links } from '../world/network-link.ts';
import type { RandomStreams } from './random-streams.ts';
import type { Schedule } from './schedule.ts';
import type { TraceLine } from './trace.ts';

/** A request as the faults and the trace see it. */
export interface Asked {
  /** Such as `update configmaps`: effects are counted per operation. */
  readonly operation: string;
  /** The object of the request, for people: `default/counter`. */
  readonly about: string;
  readonly isWrite: boolean;
  /** The service's own faults that can hit this request. */
  readonly kinds: readonly ServiceFault['kind'][];
  /** The network link of the call. */
  readonly link: string;
}

export interface Effect extends Asked {
  readonly id: string;
  /** The name of the calling process. */
  readonly process: string;
  /** The key for all random draws of this call. */
  readonly key: number;
  readonly service: string;
}

export interface Arrival {
  readonly caller: ProcessInstance;
  readonly effect: Effect;
  readonly faults: readonly ServiceFault[];
  /** The same effect may arrive a second time. */
  readonly mayRepeat: boolean;
}

export interface Service<Request, Answer> {
  readonly name: string;
  /** The delay of one leg; most draws are close to the least. */
  readonly latencyMs: { readonly least: number; readonly most: number };
  ask(request: Request): Asked;
  /** Applies the request at this instant; a promise may only wrap what is already done. */
  apply(request: Request, arrival: Arrival): Answer | Promise<Answer>;
  /** The outcome for people, such as `409`. */
  outcome(answer: Answer): string;
  /** Called when no caller will read this answer. */
  discard?(answer: Answer): void;
}

/**
 * When the caller gives up: after a time on its own clock, or by a signal. Without either the caller waits for ever.
 */
export interface Patience {
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `refused`: nothing was done. After a reset or a timeout the caller cannot know. */
export type CallEnd<Answer> =
  | { readonly answer: Answer }
  | { readonly broken: 'refused' | 'reset' | 'timeout' };

export interface CallPorts {
  readonly schedule: Schedule;
  readonly streams: RandomStreams;
  readonly links: Links;
  readonly report: (line: Omit<TraceLine, 'atMs'>) => void;
  readonly crash: (process: string, restartMs: number) => void;
  /** A service threw an error, which no service should. */
  readonly failed: (service: string, error: unknown) => void;
  readonly stateOf: (service: string) => 'up' | 'no-writes' | 'down';
}

interface CallWork<Request, Answer> extends Omit<Arrival, 'faults' | 'mayRepeat'> {
  readonly service: Service<Request, Answer>;
  readonly request: Request;
  readonly faults: readonly EffectFault[];
}

/** Keys for drawing the delays of the legs. */
const there = 1;
const back = 2;

export class Call<Request, Answer> {
  readonly #ports: CallPorts;
  readonly #work: CallWork<Request, Answer>;
  readonly #resolve: (end: CallEnd<Answer>) => void;
  #isOver = false;
  #release: (() => void)[] = [];

  constructor(ports: CallPorts, work: CallWork<Request, Answer>, resolve: (end: CallEnd<Answer>) => void) {
    this.#ports = ports;
    this.#work = work;
    this.#resolve = resolve;
  }

  start({ deadlineMs, signal }: Patience): void {
    const { caller, effect, faults } = this.#work;
    const crash = findFault(faults, 'crash-before');
    if (crash !== undefined) {
      this.#report('dies before it');
      this.#ports.crash(caller.process, crash.restartMs);
      return;
    }
    this.#release.push(
      this.#ports.schedule.wait(`${caller.label} waits for ${effect.id}`),
      caller.atDeath(() => this.#finish()),
    );
    const giveUp = (): void => this.#end({ broken: 'timeout' });
    if (deadlineMs !== undefined) this.#release.push(caller.clock.after(deadlineMs, giveUp));
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#release.push(() => signal?.removeEventListener('abort', giveUp));
    const lateMs = findFault(faults, 'late')?.ms ?? 0;
    this.#travel(there, lateMs, () => this.#arrive());
  }

  #arrive(): void {
    const { service, effect, faults } = this.#work;
    const state = this.#ports.stateOf(service.name);
    if (state === 'down' || findFault(faults, 'refused') !== undefined) {
      this.#report('refused');
      this.#answerWith(() => this.#end({ broken: 'refused' }));
      return;
    }
    const outage: readonly ServiceFault[] =
      state === 'no-writes' && effect.isWrite ? [{ kind: 'error', reason: 'InternalError' }] : [];
    void this.#effect([...outage, ...faults.filter(isServiceFault)]);
  }

  /** The effect is done when `apply` returns; only the answer may take microtasks, still in the same instant. */
  async #effect(faults: readonly ServiceFault[]): Promise<void> {
    const { service } = this.#work;
    try {
      this.#applied(await this.#apply(faults));
    } catch (error) {
      this.#ports.failed(service.name, error);
    }
  }

  #apply(faults: readonly ServiceFault[]): Answer | Promise<Answer> {
    const { service, request, caller, effect } = this.#work;
    const mayRepeat = findFault(this.#work.faults, 'duplicate') !== undefined;
    return service.apply(request, { caller, effect, faults, mayRepeat });
  }

  #applied(answer: Answer): void {
    const { service, faults, caller } = this.#work;
    this.#report(service.outcome(answer));
    this.#repeat();
    const crash = findFault(faults, 'crash-after');
    if (crash !== undefined) this.#ports.crash(caller.process, crash.restartMs);
    const lost = findFault(faults, 'reply-lost');
    if (lost === undefined) {
      this.#answerWith(() => this.#end({ answer }, answer));
      return;
    }
    service.discard?.(answer);
    if (!lost.silent) this.#answerWith(() => this.#end({ broken: 'reset' }));
  }

  #repeat(): void {
    const duplicate = findFault(this.#work.faults, 'duplicate');
    if (duplicate !== undefined)
      this.#ports.schedule.after(duplicate.ms, `${this.#work.effect.id} again`, () => void this.#again());
  }

  async #again(): Promise<void> {
    const { service } = this.#work;
    const answer = await this.#apply([]);
    this.#report(`again: ${service.outcome(answer)}`);
    service.discard?.(answer);
  }

  #answerWith(arrive: () => void): void {
    const slowMs = findFault(this.#work.faults, 'slow-reply')?.ms ?? 0;
    this.#travel(back, slowMs, () => this.#work.caller.deliver(arrive));
  }

  /** One leg: its delay, then the link. */
  #travel(leg: number, moreMs: number, arrive: () => void): void {
    const { service, caller, effect } = this.#work;
    const { schedule, streams, links } = this.#ports;
    const { least, most } = service.latencyMs;
    const drawn = streams.draw(effect.key, leg) ** 3;
    const delayMs = Math.round(least + (most - least) * drawn) + moreMs;
    schedule.after(delayMs, leg === there ? effect.id : `${effect.id} reply`, () =>
      links.between(caller.process, effect.link).pass({
        arrive,
        lose: () => caller.deliver(() => this.#end({ broken: 'reset' })),
      }),
    );
  }

  #end(end: CallEnd<Answer>, answer?: Answer): void {
    if (this.#isOver) {
      if (answer !== undefined) this.#work.service.discard?.(answer);
      return;
    }
    this.#finish();
    if ('broken' in end) this.#report(`sees ${end.broken}`);
    this.#resolve(end);
  }

  #finish(): void {
    this.#isOver = true;
    for (const release of this.#release.splice(0)) release();
  }

  #report(outcome: string): void {
    const { caller, effect, faults } = this.#work;
    const why = faults.length === 0 ? '' : ` (${faults.map(({ kind }) => kind).join(', ')})`;
    const name = effect.id.slice(caller.process.length + 1);
    const what = effect.about === '' ? name : `${name} ${effect.about}`;
    this.#ports.report({ who: caller.label, what, outcome: `${outcome}${why}` });
  }
}
