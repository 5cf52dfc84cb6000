/**
 * How dispatch is reached in a world: by a door that leads to whichever replica is up, one after another. What is asked takes
 * as long as the replica takes, and an answer that a dying replica owed never comes.
 */
import type { HookPost } from '../../../clouds/github/hooks.ts';
import type { Arrival, Asked, Service } from '../../engine/call.ts';
import type { ServiceFault } from '../../faults/effect-fault.ts';
import type { ProcessInstance } from '../../engine/process-instance.ts';

export type Errand =
  | { readonly what: 'webhook'; readonly hook: HookPost }
  | {
      readonly what: 'poll';
      readonly token: string;
      readonly about: string;
      /** Whoever asked has gone. */
      readonly left: AbortSignal;
    }
  | { readonly what: 'stopped'; readonly token: string; readonly about: string; readonly body: string }
  | { readonly what: 'signals'; readonly token: string; readonly about: string };

export interface FrontReply {
  readonly status: number;
  readonly body?: unknown;
}

/** One replica, as far as it can be asked. */
export interface Replica {
  readonly incarnation: ProcessInstance;
  answer(errand: Errand): Promise<FrontReply>;
}

/** What the balancer says when nobody is behind it, or whoever was has gone. */
const badGateway: FrontReply = { status: 502 };

export class FrontDoor implements Service<Errand, FrontReply> {
  readonly name = 'dispatch';
  readonly latencyMs = { least: 1, most: 80 };
  readonly #did: (kind: ServiceFault['kind']) => void;
  #replicas: Replica[] = [];
  #losesRegistration = false;

  /** `did` is told of each fault of its own that it has done. */
  constructor(did: (kind: ServiceFault['kind']) => void) {
    this.#did = did;
  }

  get replicas(): readonly Replica[] {
    return this.#replicas;
  }

  /** It is there until it dies or says that it leaves. */
  open(replica: Replica): () => void {
    this.#replicas.push(replica);
    const remove = (): void => {
      this.#replicas = this.#replicas.filter((one) => one !== replica);
    };
    replica.incarnation.atDeath(remove);
    return remove;
  }

  ask(errand: Errand): Asked {
    const about = 'about' in errand ? errand.about : '';
    const isWrite = errand.what !== 'signals';
    return { operation: errand.what, about, isWrite, kinds: ['error'], link: this.name };
  }

  async apply(errand: Errand, { faults }: Arrival): Promise<FrontReply> {
    const error = faults.find((fault) => fault.kind === 'error');
    if (error !== undefined) {
      this.#did(error.kind);
      return { status: error.reason === 'Forbidden' ? 500 : 503 };
    }
    return this.knock(errand);
  }

  /** The next registration that is handed out is lost on its way. */
  loseNextRegistration(): void {
    this.#losesRegistration = true;
  }

  async knock(errand: Errand): Promise<FrontReply> {
    const reply = await this.#lead(errand);
    const isRegistration = errand.what === 'poll' && reply.status === 200;
    if (!this.#losesRegistration || !isRegistration) return reply;
    this.#losesRegistration = false;
    return badGateway;
  }

  async #lead(errand: Errand): Promise<FrontReply> {
    const [replica, ...others] = this.#replicas;
    if (replica === undefined) return badGateway;
    this.#replicas = [...others, replica];
    return new Promise((resolve) => {
      const forget = replica.incarnation.atDeath(() => resolve(badGateway));
      const answered = (reply: FrontReply): void => {
        forget();
        resolve(reply);
      };
      replica.incarnation.deliver(() => {
        replica.answer(errand).then(answered, () => answered({ status: 500 }));
      });
    });
  }

  outcome({ status }: FrontReply): string {
    return String(status);
  }
}
