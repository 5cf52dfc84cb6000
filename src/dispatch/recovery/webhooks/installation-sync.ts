/**
 * Reconciles App installations with GitHub: suspended ones often, active ones rarely. Without this worker, an account
 * would stay without runners for good if its `unsuspend` webhook is lost or arrives before the `suspend`. An
 * installation whose `deleted` webhook is lost would be tried forever.
 *
 * The state removed is final, and GitHub also answers 404 to the wrong App or at the wrong address. So an installation
 * that GitHub does not know first becomes suspended. A later look marks it removed, if GitHub has answered this replica
 * for another installation.
 */
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { Installation } from '../../store/rows.ts';
import { KeyedBackoff } from '../scheduler/keyed-backoff.ts';
import { oneByOne } from '../scheduler/for-each-isolated.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from '../scheduler/worker.ts';

/** Installations per run; the others follow in the next run. */
const suspendedMax = 50;
const activeMax = 10;
const everyMs = 600_000;
/** An active installation is queried once in this many runs, or more where there are many: at most once an hour. */
const roundsApart = 6;

export class InstallationSync implements Worker {
  readonly name = 'installations-look';
  readonly everyMs = everyMs;
  readonly #ports: RecoveryPorts;
  readonly #looked = new KeyedBackoff(everyMs);
  /** GitHub has answered for some installation, so the App and the address are right. */
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
      ({ id }, error) => say('failed to sync installation', { installation: id, error }),
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

/**
 * A slice of the active installations; all are covered in an hour or more. The slice depends on the time only, so it is
 * the same on every replica.
 */
export function activeRoundRobin(
  installations: readonly Installation[],
  at: number,
): readonly Installation[] {
  const active = installations.filter(({ state }) => state === 'active');
  const slots = Math.max(roundsApart, Math.ceil(active.length / activeMax));
  const slot = Math.floor(at / everyMs) % slots;
  return active.filter((_, index) => index % slots === slot);
}
