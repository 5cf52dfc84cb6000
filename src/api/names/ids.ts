/**
 * Ids with a type of their own, so that two of them cannot be swapped. They are made from text at the edge, by
 * parsing, and nowhere else.
 */
import { z } from 'zod';

/** What every provider id starts with; existing Nodes carry it, so it never changes. */
export const providerIdScheme = 'scw-applesilicon://';

/** Id of a server at the provider; also the name of its MacHost. */
export const HostId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'not a lower-case uuid')
  .brand<'HostId'>();
export type HostId = z.infer<typeof HostId>;

/** Place at the provider, such as `fr-par-1`. No slash can occur in it, which the provider id relies on. */
export const Zone = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'not lower-case letters, digits and single dashes')
  .brand<'Zone'>();
export type Zone = z.infer<typeof Zone>;

/** `spec.providerID` of a machine and of its Node: which server of which zone it is. */
export const ProviderId = z.string().startsWith(providerIdScheme).brand<'ProviderId'>();
export type ProviderId = z.infer<typeof ProviderId>;

/** Uid of a ScalewayAppleSiliconMachine. */
export const MachineUid = z.string().min(1).max(128).brand<'MachineUid'>();
export type MachineUid = z.infer<typeof MachineUid>;

/** Name of a ScalewayAppleSiliconMachine, which its host carries at the provider. */
export const ClaimName = z.string().min(1).max(253).brand<'ClaimName'>();
export type ClaimName = z.infer<typeof ClaimName>;
