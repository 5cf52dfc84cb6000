/** Ordered faults of the HTTP server of a simulated service, in the words of every injected fault. */
import { z } from 'zod';
import { requestFaults } from '../../../src/embedded/kubernetes-api/faults/fault.ts';

const faultSchema = z.discriminatedUnion('kind', [
  requestFaults.refused,
  /** Answered like this, and nothing was done; a body that is no object is sent as text. */
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

/** An order, of a service that can be asked for these operations. */
export function httpFaultSchema<Operation extends string>(operations: readonly Operation[]) {
  return z.strictObject({
    /** Which request is meant; without it, any. */
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

  /** How many requests have come, whatever happened to them. */
  get asked(): number {
    return this.#asked;
  }

  order(order: HttpFaultOrder<Operation>): void {
    this.#orders.push(order);
  }

  /** What happens to this request; asked once for each. */
  next(operation: Operation): HttpFault | undefined {
    this.#asked += 1;
    const order = this.#orders.find(({ on }) => on === undefined || on === operation);
    if (order === undefined) return undefined;
    const left = { ...order, times: order.times - 1 };
    this.#orders = this.#orders.flatMap((one) => (one !== order ? one : left.times > 0 ? left : []));
    return order.fault;
  }
}
