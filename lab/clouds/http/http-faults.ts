/** What goes wrong between a client and the HTTP face of a simulated service, when it is ordered. */
import { z } from 'zod';

const ms = z.int().nonnegative();

const faultSchema = z.discriminatedUnion('kind', [
  /** The connection breaks before anything was done. */
  z.strictObject({ kind: z.literal('refused') }),
  /** Answered like this, and nothing was done; a body that is no object is sent as text. */
  z.strictObject({
    kind: z.literal('error'),
    status: z.int().min(200).max(599).default(500),
    body: z.unknown().optional(),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  /** Done, and the connection breaks. */
  z.strictObject({ kind: z.literal('reply-lost') }),
  /** Done this much later, whoever still waits for it. */
  z.strictObject({ kind: z.literal('late'), ms }),
  z.strictObject({ kind: z.literal('slow-reply'), ms }),
  /** Done once more after a time. */
  z.strictObject({ kind: z.literal('duplicate'), ms }),
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
