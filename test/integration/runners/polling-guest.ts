/**
 * The guests in the Pods of a large fleet: like the shipped programs they poll dispatch over HTTP and start a runner at
 * the simulated GitHub, but without a shell per Pod.
 */
import { z } from 'zod';
import type {
  PodSandbox,
  ContainerOrder,
  ContainerEnd,
  ContainerSignals,
  Driver,
} from '../../../src/agent/drivers/port.ts';
import type { GitHubSite } from '../../../lab/clouds/github/site.ts';
import { asControl } from '../../../lab/harness/control-token.ts';
import { wallClock } from '../../../lab/harness/wall-clock.ts';

export interface PollingGuestOptions {
  readonly site: GitHubSite;
  readonly githubUrl: string;
  /** The duration of a job. */
  readonly jobMs: () => number;
  /** The exit code of a job's container; 0 by default. */
  readonly exitCode?: (() => number) | undefined;
}

const againMs = 500;
const lookMs = 200;
/** A runner without a job for this long is stopped. */
const idleMs = 30_000;
const answerMs = 10_000;

/** Final answers, and the exit status of the program for each. */
const endings: ReadonlyMap<number, number> = new Map([
  [401, 1],
  [403, 1],
  [410, 0],
]);

const registrationSchema = z.object({ encoded_jit_config: z.string() });
const startedSchema = z.object({ runner: z.string() });

export function pollingGuests(options: PollingGuestOptions): Driver {
  return () => new PollingGuest(options);
}

class PollingGuest implements PodSandbox {
  readonly #options: PollingGuestOptions;
  #registration: string | undefined;

  constructor(options: PollingGuestOptions) {
    this.#options = options;
  }

  async run(container: ContainerOrder, signals: ContainerSignals): Promise<ContainerEnd> {
    const over = AbortSignal.any([signals.term, signals.kill]);
    return { exitCode: await this.#run(container, over) };
  }

  /** On Linux one container polls and another one works; on a Mac there is only one. */
  async #run(container: ContainerOrder, over: AbortSignal): Promise<number> {
    const url = container.env['TUIST_RUNNER_DISPATCH_URL'];
    const asked = url === undefined ? 0 : await this.#poll(url, container, over);
    return asked !== 0 || container.name === 'poller' ? asked : this.#work(over);
  }

  async #poll(url: string, { token }: ContainerOrder, over: AbortSignal): Promise<number> {
    while (!over.aborted) {
      const answer = await this.#ask(url, (await token?.())?.reveal() ?? '', over);
      const end = endings.get(answer.status);
      if (end !== undefined) return end;
      if (answer.status === 200) {
        this.#registration = registrationSchema.parse(JSON.parse(answer.text)).encoded_jit_config;
        return 0;
      }
      if (answer.status !== 204) await rest(againMs, over);
    }
    return 143;
  }

  async #ask(url: string, token: string, over: AbortSignal): Promise<{ status: number; text: string }> {
    const late = new AbortController();
    const cancel = wallClock.after(answerMs, () => late.abort());
    try {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const signal = AbortSignal.any([over, late.signal]);
      const answer = await fetch(url, { method: 'POST', body: '{}', headers, signal });
      return { status: answer.status, text: await answer.text() };
    } catch {
      // No answer, or half of one: poll again.
      return { status: 0, text: '' };
    } finally {
      cancel();
    }
  }

  async #work(over: AbortSignal): Promise<number> {
    const { site, githubUrl, jobMs, exitCode = () => 0 } = this.#options;
    if (this.#registration === undefined) return 0;
    const body = JSON.stringify({ jitConfig: this.#registration, comesAfterMs: 50, jobMs: jobMs() });
    const answer = await fetch(`${githubUrl}/_control/runner`, { method: 'POST', headers: asControl, body });
    if (!answer.ok) return 2;
    const { runner } = startedSchema.parse(await answer.json());
    const since = wallClock.now();
    for (;;) {
      const { state, hasEnded } = site.hall.look(runner);
      if (hasEnded) return exitCode();
      const isIdle = state !== 'busy' && wallClock.now() - since > idleMs;
      if (over.aborted || isIdle) {
        site.hall.kill(runner);
        return 143;
      }
      await rest(lookMs, over);
    }
  }
}

function rest(ms: number, over: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = wallClock.after(ms, resolve);
  const wake = (): void => {
    cancel();
    resolve();
  };
  over.addEventListener('abort', wake, { once: true });
  return promise.finally(() => over.removeEventListener('abort', wake));
}
