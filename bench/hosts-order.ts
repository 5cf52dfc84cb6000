/** The order of `bench/hosts` for the measured process. */
import { z } from 'zod';

export const orderSchema = z.strictObject({
  way: z.enum(['ours', 'older']),
  kubeconfig: z.string(),
  latencyMs: z.number(),
  inventoryMs: z.number(),
  /** The server of which a read is never answered. */
  hanging: z.string().optional(),
});
export type Order = z.infer<typeof orderSchema>;
