/**
 * The guest of a runner Pod: it polls dispatch like the shipped script, and with a registration it is a runner at the
 * simulated GitHub until its job is over. The guest dies with its Node.
 */
import type { FrontDoor, FrontReply } from '../../world/dispatch/load-balancer.ts';
import type { Calls } from '../../engine/calls.ts';
import type { RunnerScript } from '../../../clouds/github/runners.ts';
import type { GitHubSite } from '../../../clouds/github/site.ts';
import type { ProcessInstance } from '../../engine/process-instance.ts';
import type {
  PodSandbox,
  ContainerOrder,
  ContainerEnd,
  DriverPod,
  ContainerSignals,
} from '../../../../src/agent/drivers/port.ts';
import type { RunnerTruth } from './runner-truth.ts';

export interface GuestPorts {
  readonly door: FrontDoor;
  readonly calls: Calls;
  /** The Node it runs on. */
  readonly caller: ProcessInstance;
  readonly site: GitHubSite;
  readonly truth: RunnerTruth;
  readonly pollTimes: PollTimes;
  readonly script: () => GuestScript;
}

export interface GuestScript extends RunnerScript {
  /** The watchdog hangs as well: only the end of the Pod ends the guest. */
  readonly isStuck?: boolean;
}

export interface PollTimes {
  /** How long dispatch holds a poll. */
  readonly waitMs: number;
  /** When the Pod gives up on a poll. */
  readonly patienceMs: number;
  readonly restMs: number;
}

const minute = 60_000;
const idleMs = 5 * minute;
const terminated: ContainerEnd = { exitCode: 143 };
const ended: ContainerEnd = { exitCode: 0 };

type Polled = { readonly jit: string } | { readonly end: ContainerEnd };

export class ModelGuest implements PodSandbox {
  readonly #pod: DriverPod;
  readonly #ports: GuestPorts;
  #jit: string | undefined;

  constructor(pod: DriverPod, ports: GuestPorts) {
    this.#pod = pod;
    this.#ports = ports;
  }

  async run(container: ContainerOrder, { term }: ContainerSignals): Promise<ContainerEnd> {
    if (container.name === 'poller') return this.#pollOnly(container, term);
    if (container.name !== 'runner') return this.#waitForLead(term);
    if (this.#pod.os === 'linux') return this.#jit === undefined ? ended : this.#work(this.#jit, term);
    const polled = await this.#poll(container, term);
    return 'end' in polled ? polled.end : this.#work(polled.jit, term);
  }

  async #pollOnly(container: ContainerOrder, term: AbortSignal): Promise<ContainerEnd> {
    const polled = await this.#poll(container, term);
    if ('end' in polled) return polled.end;
    this.#jit = polled.jit;
    return ended;
  }

  async #waitForLead(term: AbortSignal): Promise<ContainerEnd> {
    return new Promise((resolve) => {
      term.addEventListener('abort', () => resolve(ended), { once: true });
    });
  }

  async #poll({ token }: ContainerOrder, term: AbortSignal): Promise<Polled> {
    const { truth } = this.#ports;
    if (token === undefined) return { end: { exitCode: 1 } };
    while (!term.aborted) {
      const text = (await token()).reveal();
      const reply = await truth.polls(this.#pod, text, async () => this.#askOnce(text, term));
      if (term.aborted) break;
      const outcome = outcomeOf(reply);
      if (outcome !== 'again') return outcome;
      await this.#rest(term);
    }
    return { end: terminated };
  }

  async #askOnce(token: string, term: AbortSignal): Promise<FrontReply> {
    const { door, calls, caller, pollTimes } = this.#ports;
    const left = new AbortController();
    const request = { what: 'poll', token, about: this.#pod.name, left: left.signal } as const;
    const end = await calls.call(door, { caller, request, deadlineMs: pollTimes.patienceMs, signal: term });
    left.abort();
    return 'answer' in end ? end.answer : { status: 0 };
  }

  async #rest(term: AbortSignal): Promise<void> {
    const { caller, pollTimes } = this.#ports;
    await new Promise<void>((resolve) => {
      const cancel = caller.clock.after(pollTimes.restMs, resolve);
      term.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
  }

  async #work(jit: string, term: AbortSignal): Promise<ContainerEnd> {
    const { site, caller, truth, script: scriptOf } = this.#ports;
    const over = Promise.withResolvers<ContainerEnd>();
    const { isStuck = false, ...fate } = scriptOf();
    const script = { ...fate, ended: () => over.resolve(term.aborted ? terminated : ended) };
    const runner = truth.starts(this.#pod, () => site.hall.start(jit, script));
    if (runner === undefined) return { exitCode: 1 };
    const kill = (): void => {
      site.hall.kill(runner.id);
      over.resolve(terminated);
    };
    const cancel = caller.clock.after(idleMs, () => {
      if (!isStuck && runner.state !== 'busy') kill();
    });
    const forget = caller.atDeath(kill);
    term.addEventListener('abort', kill, { once: true });
    const end = await over.promise;
    cancel();
    forget();
    return end;
  }
}

function outcomeOf({ status, body }: FrontReply): Polled | 'again' {
  if (status === 401 || status === 403) return { end: { exitCode: 1 } };
  if (status === 410) return { end: ended };
  return status === 200 && typeof body === 'string' ? { jit: body } : 'again';
}
