/** What people and bad days do to the simulated cloud, as data: for the workload of a scenario and for the control endpoint. */
import { z } from 'zod';
import { apiOperations } from '../../../src/hosts/provider/scaleway/api-request.ts';

/** An id, or a name. */
const server = z.string().min(1);

export const actSchema = z.discriminatedUnion('act', [
  /** Somebody renames a server in the console. */
  z.strictObject({ act: z.literal('rename'), server, name: z.string() }),
  /** Somebody rents one more; it is delivered after a while. */
  z.strictObject({ act: z.literal('order'), zone: z.string(), type: z.string(), name: z.string() }),
  /** It is gone at once, whatever the floor. */
  z.strictObject({ act: z.literal('remove'), server }),
  z.strictObject({ act: z.literal('retire os'), name: z.string() }),
  z.strictObject({
    act: z.literal('publish os'),
    family: z.string().min(1),
    version: z.string().min(1),
    isBeta: z.boolean().default(false),
  }),
  z.strictObject({ act: z.literal('zone'), zone: z.string(), isDown: z.boolean() }),
  /** It has this status until it is taken back with null. */
  z.strictObject({ act: z.literal('status'), server, status: z.string().nullable() }),
  /** Decides about the next reinstall of a server, or ends one that never would. */
  z.strictObject({
    act: z.literal('reinstall fate'),
    server,
    neverEnds: z.boolean().optional(),
    osName: z.string().optional(),
    newAddress: z.boolean().optional(),
  }),
  z.strictObject({ act: z.literal('abandon work'), server }),
  /** Everybody gets 429 for so long, with this header if there is one. */
  z.strictObject({
    act: z.literal('throttle'),
    forMs: z.int().nonnegative(),
    retryAfter: z.string().optional(),
  }),
  /** 403 for one kind of request. */
  z.strictObject({ act: z.literal('deny'), operation: z.enum(apiOperations), isDenied: z.boolean() }),
  /** Something of a tenant stays on the disk. */
  z.strictObject({ act: z.literal('leave'), server, what: z.string().min(1) }),
]);

export type CloudAct = z.infer<typeof actSchema>;
