/**
 * The load balancer of dispatch in a world: round robin over the replicas that are up. A request takes as long as its
 * replica takes, and an answer of a replica that dies never arrives.
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
      /** Aborts when the caller has gone. */
      readonly left: AbortSignal;
    }
  | { readonly what: 'stopped'; readonly token: string; readonly about: string; readonly body: string }
  | { readonly what: 'signals'; readonly token: string; readonly about: string };

export interface FrontReply {
  readonly status: number;
  readonly body?: unknown;
}

/** One replica behind the load balancer. */
export interface Replica {
  readonly incarnation: ProcessInstance;
  answer(errand: Errand): Promise<FrontReply>;
}

/** The answer when no replica is up, or the replica has gone. */
const badGateway: FrontReply = { status: 502 };

export class FrontDoor implements Service<Errand, FrontReply> {
  readonly name = 'dispatch';
  readonly latencyMs = { least: 1, most: 80 };
  readonly #did: (kind: ServiceFault['kind']) => void;
  #replicas: Replica[] = [];
  #losesRegistration = false;

  /** `did` is called for each fault of its own that took effect. */
  constructor(did: (kind: ServiceFault['kind']) => void) {
    this.#did = did;
  }

  get replicas(): readonly Replica[] {
    return this.#replicas;
  }

  /** Adds a replica until the replica dies or drains. */
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

  /** Drops the next registration on its way to the Pod. */
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
