/** Why a Pod is told to end itself: somebody marked it, its image is old, it was retired, or it was served already. */
export const drainReasons = ['OperatorDrain', 'StaleImage', 'Retired', 'AlreadyServed'] as const;
export type DrainReason = (typeof drainReasons)[number];
