/**
 * Why a Pod is told to end itself: somebody marked it, its image is old, it was retired, it was served already, or it has the
 * stamp of a claim that nobody knows of.
 */
export const drainReasons = [
  'OperatorDrain',
  'StaleImage',
  'Retired',
  'AlreadyServed',
  'UnknownStamp',
] as const;
export type DrainReason = (typeof drainReasons)[number];
