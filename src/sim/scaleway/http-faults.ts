/** What goes wrong with requests over HTTP: the same as with calls in a simulated world, one after another as they were ordered. */
import { z } from 'zod';
import { apiOperations, type ApiOperation } from '../../provider/scaleway/api-request.ts';

const ms = z.int().nonnegative();

export const httpFaultSchema = z.strictObject({
  /** Which request is meant; without it, any. */
  on: z.enum(apiOperations).optional(),
  times: z.int().positive().default(1),
  fault: z.discriminatedUnion('kind', [
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
  ]),
});

export type HttpFaultOrder = z.infer<typeof httpFaultSchema>;
export type HttpFault = HttpFaultOrder['fault'];

export class HttpFaults {
  #orders: HttpFaultOrder[] = [];

  order(order: HttpFaultOrder): void {
    this.#orders.push(order);
  }

  /** What happens to this request; asked once for each. */
  next(operation: ApiOperation): HttpFault | undefined {
    const order = this.#orders.find(({ on }) => on === undefined || on === operation);
    if (order === undefined) return undefined;
    const left = { ...order, times: order.times - 1 };
    this.#orders = this.#orders.flatMap((one) => (one !== order ? one : left.times > 0 ? left : []));
    return order.fault;
  }
}
