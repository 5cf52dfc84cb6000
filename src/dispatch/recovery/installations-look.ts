/**
 * Installations of the App that count as suspended: GitHub is asked whether they still are. Without it, an `unsuspend` webhook
 * that is lost, or that is overtaken by the `suspend` before it, would leave an account without runners for good. One that
 * counts as active and is not needs no look: GitHub refuses its registrations, and it rests.
 */
import { isFleetError } from '../../errors/fleet-error.ts';
import type { Installation } from '../store/rows.ts';
import { AskAgain } from './ask-again.ts';
import { oneByOne } from './one-by-one.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from './worker.ts';

/** In one turn; the others have the next one. */
const looksMax = 50;
const everyMs = 600_000;

export class InstallationsLook implements Worker {
  readonly name = 'installations-look';
  readonly everyMs = everyMs;
  readonly #ports: RecoveryPorts;
  readonly #looked = new AskAgain(everyMs);

  constructor(ports: RecoveryPorts) {
    this.#ports = ports;
  }

  async run({ at }: Tick): Promise<void> {
    const { store, say } = this.#ports;
    const suspended = (await store.installations()).filter(({ state }) => state === 'suspended');
    await oneByOne(
      this.#looked.inTurn(suspended, ({ id }) => id).slice(0, looksMax),
      async (one) => {
        this.#looked.note(one.id, at);
        const state = await this.#stateOf(one);
        if (state !== one.state) await this.#write(one, state);
      },
      ({ id }, error) => say('an installation could not be looked at', { installation: id, error }),
    );
  }

  async #stateOf({ id }: Installation): Promise<Installation['state']> {
    try {
      return (await this.#ports.github.installation(id)).state;
    } catch (error) {
      if (isFleetError(error, 'gone')) return 'removed';
      throw error;
    }
  }

  async #write(known: Installation, state: Installation['state']): Promise<void> {
    const { store, recovered } = this.#ports;
    const account = await store.account(known.accountId);
    if (account === undefined) return;
    const evidence = { installation: known.id, was: known.state, github: state };
    const effect = { kind: 'install', account, installation: { ...known, state } } as const;
    const act = draftOf(this.#ports, 'installation_found', { evidence });
    if ((await store.apply(effect, act)) === 'changed') recovered('installation_found', { evidence });
  }
}
