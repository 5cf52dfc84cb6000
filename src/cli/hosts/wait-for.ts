/** Waits until a fact is observed in the cluster, and reports each change of the progress. */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { ProcessPorts } from '../process-ports.ts';

export interface Awaited {
  /** The awaited fact; completes "seen:". */
  readonly what: string;
  readonly timeoutMs: number;
  /** The advice for a timeout. */
  readonly otherwise: string;
  look(): Promise<Seen>;
}

export interface Seen {
  readonly isDone: boolean;
  /** The present state. */
  readonly text: string;
  /** The same as JSON. */
  readonly facts?: Readonly<Record<string, string | undefined>>;
}

const pollMs = 2000;

/** A timeout of zero reads once and accepts any result. */
export async function waitFor(ports: ProcessPorts, awaited: Awaited): Promise<void> {
  const { clock, terminal } = ports;
  const until = clock.now() + awaited.timeoutMs;
  let reported = '';
  for (;;) {
    const seen = await tolerant(awaited);
    if (seen.isDone) return terminal.out(`seen: ${awaited.what}: ${seen.text}\n`);
    if (awaited.timeoutMs === 0) return terminal.out(`not waited for: ${awaited.what}; now: ${seen.text}\n`);
    if (seen.text !== reported) terminal.err(`waiting for: ${awaited.what}; now: ${seen.text}\n`);
    reported = seen.text;
    if (clock.now() >= until)
      throw new Error(`not seen in time: ${awaited.what}; now: ${seen.text}. ${awaited.otherwise}`);
    if (await isStoppedWithin(ports, Math.min(pollMs, until - clock.now())))
      throw new Error(`you stopped waiting for: ${awaited.what}. ${awaited.otherwise}`);
  }
}

/** A transient read error does not end the wait. */
async function tolerant(awaited: Awaited): Promise<Seen> {
  try {
    return await awaited.look();
  } catch (error) {
    if (!isFleetError(error, 'unavailable')) throw error;
    return { isDone: false, text: `the read failed (${error.reason})` };
  }
}

async function isStoppedWithin({ clock, stopped }: ProcessPorts, ms: number): Promise<boolean> {
  let cancel = (): void => undefined;
  const passed = new Promise<boolean>((resolve) => (cancel = clock.after(ms, () => resolve(false))));
  const isStopped = await Promise.race([stopped.then(() => true), passed]);
  cancel();
  return isStopped;
}
