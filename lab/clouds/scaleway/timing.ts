/** Delays and failure rates of the simulated cloud without injected faults. */

/** The least and the most; values are drawn in between. */
type Span = readonly [number, number];

export interface Timing {
  readonly deliveryMs: Span;
  readonly reinstallMs: Span;
  readonly rebootMs: Span;
  /** How long after a reinstall or reboot was accepted the status still says `ready`. */
  readonly shownAfterMs: Span;
  /** The minimum time of rent. */
  readonly floorMs: number;
  /** How long a listing shows the old state, when it lags. */
  readonly listLagMs: Span;
  /** The probability of each, per draw; 0 is never. */
  readonly odds: {
    readonly listLag: number;
    /** After a reinstall. */
    readonly newAddress: number;
    /** The password is returned as `<sealed>`, and is only in the VNC address. */
    readonly sealedPassword: number;
    /** The refusal of the billing floor comes without details. */
    readonly bareFloor: number;
    /** A reinstall that never ends. */
    readonly stuckReinstall: number;
    /** A reinstall that ends with the default image instead of the requested one. */
    readonly otherImage: number;
  };
}

const minute = 60_000;

export const usualTiming: Timing = {
  deliveryMs: [5 * minute, 40 * minute],
  reinstallMs: [15 * minute, 20 * minute],
  rebootMs: [minute, 4 * minute],
  shownAfterMs: [0, 3000],
  floorMs: 24 * 60 * minute,
  listLagMs: [1000, 30_000],
  odds: {
    listLag: 0.2,
    newAddress: 0.1,
    sealedPassword: 0.5,
    bareFloor: 0.5,
    stuckReinstall: 0,
    otherImage: 0,
  },
};
