/**
 * Ids with their own types, so that two ids cannot be swapped. They are created from text at the edge, by parsing
 * only.
 */
import { z } from 'zod';

/** The start of every provider id. Existing Nodes have it, so it never changes. */
export const providerIdScheme = 'scw-applesilicon://';

/** Id of a server at the provider; also the name of its MacHost. */
export const HostId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'not a lower-case uuid')
  .brand<'HostId'>();
export type HostId = z.infer<typeof HostId>;

/** A zone of the provider, such as `fr-par-1`. It contains no slash, on which the provider id relies. */
export const Zone = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'not lower-case letters, digits and single dashes')
  .brand<'Zone'>();
export type Zone = z.infer<typeof Zone>;

/** `spec.providerID` of a machine and its Node: zone and server id. */
export const ProviderId = z.string().startsWith(providerIdScheme).brand<'ProviderId'>();
export type ProviderId = z.infer<typeof ProviderId>;

/** Uid of a ScalewayAppleSiliconMachine. */
export const MachineUid = z.string().min(1).max(128).brand<'MachineUid'>();
export type MachineUid = z.infer<typeof MachineUid>;

/** Name of a ScalewayAppleSiliconMachine, which is also the name of its server at the provider. */
export const ClaimName = z.string().min(1).max(253).brand<'ClaimName'>();
export type ClaimName = z.infer<typeof ClaimName>;
