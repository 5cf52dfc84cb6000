/** Faults of the next webhooks, on order. */
import { z } from 'zod';
import { requestFaults } from '../../../src/embedded/kubernetes-api/faults/fault.ts';

export const hookFaultSchema = z.strictObject({
  /** The webhooks to hit, such as `workflow_job` and `queued`; without it, any. */
  event: z.string().optional(),
  action: z.string().optional(),
  times: z.int().positive().default(1),
  fault: z.discriminatedUnion('kind', [
    /** The webhook does not arrive, and the log records the failure. */
    requestFaults.refused,
    /** The webhook does not arrive, and the log has no entry. */
    z.strictObject({ kind: z.literal('lost') }),
    /** The webhook arrives, and the log records a failure. */
    z.strictObject({ kind: z.literal('reply-lost') }),
    /** The webhook arrives twice under one guid. */
    z.strictObject({ kind: z.literal('duplicate') }),
    /** The webhook arrives this much later, after others that were sent later. */
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

  /** Returns the fault of this webhook; called once for each. */
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
