/**
 * Why a Pod is drained: an operator marked it, its image is old, the recovery blocked it, it was served already, or its
 * stamp has no known claim.
 */
export const drainReasons = [
  'OperatorDrain',
  'StaleImage',
  'Retired',
  'AlreadyServed',
  'UnknownStamp',
] as const;
export type DrainReason = (typeof drainReasons)[number];
