/**
 * Calls from a process to a service: the request travels, takes effect at one instant, and the reply travels back. Each
 * effect has a name that does not depend on other events (`worker-a/kube/update configmaps#3`). A fault plan refers to
 * an effect by that name, and the name seeds the delays.
 */
import {
  Call,
  type Asked,
  type CallPorts,
  type CallEnd,
  type Effect,
  type Patience,
  type Service,
} from './call.ts';
import type { EffectFault } from '../faults/effect-fault.ts';
import { hashText, mixed } from './hash.ts';
import type { ProcessInstance } from './process-instance.ts';

/** Decides the faults of an effect; called once per effect. */
export interface EffectFaults {
  decide(effect: Effect): readonly EffectFault[];
}

export interface CallsPorts extends Omit<CallPorts, 'stateOf'> {
  readonly faults: EffectFaults;
  /** Called for each effect that is sent, with the faults chosen for the effect. */
  readonly sent: (effect: Effect, faults: readonly EffectFault[]) => void;
}

export interface CallOptions<Request> extends Patience {
  readonly caller: ProcessInstance;
  readonly request: Request;
}

interface Counter {
  readonly prefix: string;
  readonly key: number;
  count: number;
}

export type ServiceState = 'up' | 'no-writes' | 'down';

export class Calls {
  readonly #ports: CallsPorts;
  readonly #callPorts: CallPorts;
  readonly #counters = new Map<string, Counter>();
  readonly #states = new Map<string, ServiceState>();

  constructor(ports: CallsPorts) {
    this.#ports = ports;
    this.#callPorts = { ...ports, stateOf: (service) => this.stateOf(service) };
  }

  stateOf(service: string): ServiceState {
    return this.#states.get(service) ?? 'up';
  }

  setState(service: string, state: ServiceState): void {
    this.#states.set(service, state);
  }

  healAll(): void {
    this.#states.clear();
  }

  /** Never answers a dead caller. */
  call<Request, Answer>(
    service: Service<Request, Answer>,
    options: CallOptions<Request>,
  ): Promise<CallEnd<Answer>> {
    const { caller, request } = options;
    const ended = Promise.withResolvers<CallEnd<Answer>>();
    if (caller.isDead) return ended.promise;
    const asked = service.ask(request);
    const effect: Effect = { ...this.#next(caller.process, service.name, asked.operation), ...asked };
    const faults = this.#ports.faults.decide(effect);
    this.#ports.sent(effect, faults);
    new Call(this.#callPorts, { service, caller, request, effect, faults }, ended.resolve).start(options);
    return ended.promise;
  }

  #next(process: string, service: string, operation: string): Omit<Effect, keyof Asked> {
    const prefix = `${process}/${service}/${operation}#`;
    let counter = this.#counters.get(prefix);
    if (counter === undefined) {
      counter = { prefix, key: hashText(prefix), count: 0 };
      this.#counters.set(prefix, counter);
    }
    counter.count += 1;
    return { id: `${prefix}${counter.count}`, key: mixed(counter.key, counter.count), process, service };
  }
}
