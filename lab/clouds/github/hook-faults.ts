/** What goes wrong with the next webhooks, when it is ordered. */
import { z } from 'zod';
import { requestFaults } from '../../../src/embedded/kubernetes-api/faults/fault.ts';

export const hookFaultSchema = z.strictObject({
  /** Which webhooks are meant, such as `workflow_job` and `queued`; without it, any. */
  event: z.string().optional(),
  action: z.string().optional(),
  times: z.int().positive().default(1),
  fault: z.discriminatedUnion('kind', [
    /** It does not arrive, and the log says so. */
    requestFaults.refused,
    /** It does not arrive, and the log knows nothing of it. */
    z.strictObject({ kind: z.literal('lost') }),
    /** It arrives, and the log says that it did not. */
    z.strictObject({ kind: z.literal('reply-lost') }),
    /** It arrives twice under one guid. */
    z.strictObject({ kind: z.literal('duplicate') }),
    /** It arrives this much later, after others that were sent later. */
    requestFaults.late,
  ]),
});
export type HookFaultOrder = z.infer<typeof hookFaultSchema>;
export type HookFault = HookFaultOrder['fault'];

export class HookFaults {
  #orders: HookFaultOrder[] = [];

  order(order: HookFaultOrder): void {
    this.#orders.push(order);
  }

  /** What happens to this webhook; asked once for each. */
  next(event: string, action: string): HookFault | undefined {
    const order = this.#orders.find(
      (one) => (one.event ?? event) === event && (one.action ?? action) === action,
    );
    if (order === undefined) return undefined;
    const left = { ...order, times: order.times - 1 };
    this.#orders = this.#orders.flatMap((one) => (one !== order ? one : left.times > 0 ? left : []));
    return order.fault;
  }
}
