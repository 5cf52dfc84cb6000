/** Faults of the HTTP server of a simulated service, on order, with the kinds of every injected fault. */
import { z } from 'zod';
import { requestFaults } from '../../../src/embedded/kubernetes-api/faults/fault.ts';

const faultSchema = z.discriminatedUnion('kind', [
  requestFaults.refused,
  /** This answer, and no effect; a body that is no object is sent as text. */
  z.strictObject({
    kind: z.literal('error'),
    status: z.int().min(200).max(599).default(500),
    body: z.unknown().optional(),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  requestFaults.replyLost.omit({ silent: true }),
  requestFaults.late,
  requestFaults.slowReply,
  requestFaults.duplicate,
]);
export type HttpFault = z.infer<typeof faultSchema>;

/** The schema of an order, for a service with these operations. */
export function httpFaultSchema<Operation extends string>(operations: readonly Operation[]) {
  return z.strictObject({
    /** The request to hit; without it, any. */
    on: z.enum(operations).optional(),
    times: z.int().positive().default(1),
    fault: faultSchema,
  });
}

export interface HttpFaultOrder<Operation extends string> {
  readonly on?: Operation | undefined;
  readonly times: number;
  readonly fault: HttpFault;
}

export class HttpFaults<Operation extends string> {
  #orders: HttpFaultOrder<Operation>[] = [];
  #asked = 0;

  /** The number of requests so far, with or without a fault. */
  get asked(): number {
    return this.#asked;
  }

  order(order: HttpFaultOrder<Operation>): void {
    this.#orders.push(order);
  }

  /** Returns the fault of this request; called once for each. */
  next(operation: Operation): HttpFault | undefined {
    this.#asked += 1;
    const order = this.#orders.find(({ on }) => on === undefined || on === operation);
    if (order === undefined) return undefined;
    const left = { ...order, times: order.times - 1 };
    this.#orders = this.#orders.flatMap((one) => (one !== order ? one : left.times > 0 ? left : []));
    return order.fault;
  }
}
