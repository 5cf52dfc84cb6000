/**
 * GitHub is asked how it stands with installations of the App: often where one counts as suspended, and now and then where it
 * counts as active. Without it, an `unsuspend` webhook that is lost, or that is overtaken by the `suspend` before it, would
 * leave an account without runners for good; and one whose `deleted` is lost would be tried for ever.
 *
 * Removed is for good, and GitHub does not know an installation either when it was asked with the wrong App or at the wrong
 * address. So one that is gone first counts as suspended, and as removed only at a later look, by somebody whom GitHub has
 * told of another one.
 */
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { Installation } from '../../store/rows.ts';
import { KeyedBackoff } from '../scheduler/keyed-backoff.ts';
import { oneByOne } from '../scheduler/for-each-isolated.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from '../scheduler/worker.ts';

/** In one turn; the others have the next one. */
const suspendedMax = 50;
const activeMax = 10;
const everyMs = 600_000;
/** One that counts as active is asked about once in so many turns, or more where there are many: once an hour at most. */
const roundsApart = 6;

export class InstallationSync implements Worker {
  readonly name = 'installations-look';
  readonly everyMs = everyMs;
  readonly #ports: RecoveryPorts;
  readonly #looked = new KeyedBackoff(everyMs);
  /** GitHub has told us of some installation: we ask as the right App, at the right address. */
  #isKnown = false;

  constructor(ports: RecoveryPorts) {
    this.#ports = ports;
  }

  async run({ at }: Tick): Promise<void> {
    const { store, say } = this.#ports;
    const installations = await store.installations();
    const suspended = installations.filter(({ state }) => state === 'suspended');
    await oneByOne(
      [
        ...this.#looked.roundRobin(suspended, ({ id }) => id).slice(0, suspendedMax),
        ...activeRoundRobin(installations, at),
      ],
      async (one) => {
        this.#looked.note(one.id, at);
        const github = await this.#stateOf(one);
        if (github !== one.state) await this.#write(one, github);
      },
      ({ id }, error) => say('an installation could not be looked at', { installation: id, error }),
    );
  }

  async #stateOf({ id }: Installation): Promise<Installation['state']> {
    try {
      const { state } = await this.#ports.github.installation(id);
      this.#isKnown = true;
      return state;
    } catch (error) {
      if (isFleetError(error, 'gone')) return 'removed';
      throw error;
    }
  }

  async #write(known: Installation, github: Installation['state']): Promise<void> {
    const { store, recovered } = this.#ports;
    const isProven = github !== 'removed' || (known.state === 'suspended' && this.#isKnown);
    const state = isProven ? github : 'suspended';
    const account = await store.account(known.accountId);
    if (account === undefined) return;
    const evidence = { installation: known.id, was: known.state, github };
    const effect = { kind: 'install', account, installation: { ...known, state } } as const;
    const act = draftOf(this.#ports, 'installation_found', { evidence });
    if ((await store.apply(effect, act)) === 'changed') recovered('installation_found', { evidence });
  }
}

/** All of them in the course of an hour or more, a few in each turn; by the time, so that it is the same on every replica. */
export function activeRoundRobin(
  installations: readonly Installation[],
  at: number,
): readonly Installation[] {
  const active = installations.filter(({ state }) => state === 'active');
  const slots = Math.max(roundsApart, Math.ceil(active.length / activeMax));
  const slot = Math.floor(at / everyMs) % slots;
  return active.filter((_, index) => index % slots === slot);
}
