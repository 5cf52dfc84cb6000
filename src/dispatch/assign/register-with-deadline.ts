/**
 * Registers a runner within the time of the poll. GitHub may answer late or never, and all polls of an installation
 * share one request for a token. A runner that is registered too late is removed when the answer arrives.
 */
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  pacedReason,
  type GitHub,
  type Listener,
  type Registration,
  type RunnerOrder,
} from '../github/port.ts';
import type { Job } from '../store/rows.ts';
import type { Cooldowns } from './cooldowns.ts';

export interface RegisterPorts {
  readonly github: Pick<GitHub, 'register' | 'removeRunner'>;
  readonly clock: Clock;
  readonly cooldowns: Cooldowns;
  /** Returns a new, unused runner name. */
  readonly newName: () => string;
  readonly say: (happened: string, about: object) => void;
}

export type UnnamedOrder = Omit<RunnerOrder, 'name'>;

/** GitHub usually answers faster. After this time, other Pods skip the account until GitHub answers. */
const slowMs = 2000;
const lookEveryMs = 1000;

export interface Wanted {
  readonly order: UnnamedOrder;
  readonly job: Pick<Job, 'id' | 'accountId'>;
  readonly listener: Listener;
}

/** Throws `notYet` if the poll can wait no longer. */
export async function registerInTime(wanted: Wanted, ports: RegisterPorts): Promise<Registration> {
  const { order, job, listener } = wanted;
  const { id, accountId } = job;
  const { clock, cooldowns } = ports;
  const registering = registerNamed(order, listener, ports);
  const over = Promise.withResolvers<'late'>();
  const stopWaiting = (): void => over.resolve('late');
  const cancels = [
    // mutation: registration-deadline
    clock.after(Math.max(0, listener.until - clock.now()), stopWaiting),
    passOverWhilePending(accountId, ports),
  ];
  // mutation: registration-abort
  listener.signal?.addEventListener('abort', stopWaiting, { once: true });
  try {
    const first = await Promise.race([registering, over.promise]);
    if (first !== 'late') return first;
  } finally {
    for (const cancel of cancels.flat()) cancel();
    listener.signal?.removeEventListener('abort', stopWaiting);
  }
  if (listener.signal?.aborted !== true) cooldowns.add('accounts', accountId);
  const well = { jobs: id, repositories: order.repository, accounts: accountId };
  void removeLate(registering, order, { ...ports, answered: () => cooldowns.clear(well) });
  throw new FleetError('notYet', {
    reason: pacedReason,
    message: `register a runner for job ${id}: GitHub has not answered in time`,
  });
}

/** Skips the account while a request is pending: GitHub would keep the next poll waiting too. */
function passOverWhilePending(accountId: string, { clock, cooldowns }: RegisterPorts): () => void {
  let cancel: () => void = () => undefined;
  const look = (): void => {
    // mutation: late-account-is-skipped
    cooldowns.skipUntil(accountId, clock.now() + lookEveryMs);
    cancel = clock.after(lookEveryMs, look);
  };
  cancel = clock.after(slowMs, look);
  return () => cancel();
}

/** A taken name was reserved by a request whose answer was lost; retry with another name. */
async function registerNamed(
  order: UnnamedOrder,
  listener: Listener,
  { github, newName }: RegisterPorts,
): Promise<Registration> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await github.register({ ...order, name: newName() }, listener);
    } catch (error) {
      if (attempt === 2 || !isFleetError(error, 'conflict')) throw error;
    }
}

/** Removes a late registration. If that fails, the recovery removes it as a stale registration. */
async function removeLate(
  registering: Promise<Registration>,
  order: UnnamedOrder,
  { github, say, answered }: RegisterPorts & { readonly answered: () => void },
): Promise<void> {
  try {
    const { runnerId: id, runnerName, place } = await registering;
    answered();
    say('removed a runner that was registered too late', { runner: runnerName });
    await github.removeRunner(order, { id, place });
  } catch (error) {
    say('failed to complete late registration', { repository: order.repository, error });
  }
}
