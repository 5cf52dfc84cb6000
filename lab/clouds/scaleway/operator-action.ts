/**
 * Acts of people and outages of the simulated cloud, as data: for the workload of a scenario and for the control
 * endpoint.
 */
import { z } from 'zod';
import { apiOperations } from '../../../src/hosts/provider/scaleway/api-request.ts';

/** An id, or a name. */
const server = z.string().min(1);

export const actSchema = z.discriminatedUnion('act', [
  /** Renames a server in the console. */
  z.strictObject({ act: z.literal('rename'), server, name: z.string() }),
  /** Rents one more server, which is delivered after a while. */
  z.strictObject({ act: z.literal('order'), zone: z.string(), type: z.string(), name: z.string() }),
  /** Removes a server at once, even within the minimum time. */
  z.strictObject({ act: z.literal('remove'), server }),
  z.strictObject({ act: z.literal('retire os'), name: z.string() }),
  z.strictObject({
    act: z.literal('publish os'),
    family: z.string().min(1),
    version: z.string().min(1),
    isBeta: z.boolean().default(false),
  }),
  z.strictObject({ act: z.literal('zone'), zone: z.string(), isDown: z.boolean() }),
  /** Forces this status until an act with null. */
  z.strictObject({ act: z.literal('status'), server, status: z.string().nullable() }),
  /** Decides about the next reinstall of a server, or ends a hanging one. */
  z.strictObject({
    act: z.literal('reinstall fate'),
    server,
    neverEnds: z.boolean().optional(),
    osName: z.string().optional(),
    newAddress: z.boolean().optional(),
  }),
  z.strictObject({ act: z.literal('abandon work'), server }),
  /** Answers every request with 429 for so long, with this header if given. */
  z.strictObject({
    act: z.literal('throttle'),
    forMs: z.int().nonnegative(),
    retryAfter: z.string().optional(),
  }),
  /** Answers 403 for one kind of request. */
  z.strictObject({ act: z.literal('deny'), operation: z.enum(apiOperations), isDenied: z.boolean() }),
  /** Leaves a file of a tenant on the disk. */
  z.strictObject({ act: z.literal('leave'), server, what: z.string().min(1) }),
]);

export type CloudAct = z.infer<typeof actSchema>;
