/** How the simulated cloud behaves when nobody makes it misbehave: how long things take, and how often it surprises. */

/** The least and the most; drawn in between. */
type Span = readonly [number, number];

export interface Habits {
  readonly deliveryMs: Span;
  readonly reinstallMs: Span;
  readonly rebootMs: Span;
  /** How long after a reinstall or reboot was accepted the status still says `ready`. */
  readonly shownAfterMs: Span;
  /** The minimum time of rent. */
  readonly floorMs: number;
  /** How long a listing still shows what was before a change, in those cases in which it lags. */
  readonly listLagMs: Span;
  /** How likely each is, each time; 0 is never. */
  readonly odds: {
    readonly listLag: number;
    /** After a reinstall. */
    readonly newAddress: number;
    /** The password is told as `<sealed>`, and stands in the address of the screen alone. */
    readonly sealedPassword: number;
    /** The refusal of the floor comes without its particulars. */
    readonly bareFloor: number;
    /** A reinstall that never ends. */
    readonly stuckReinstall: number;
    /** A reinstall that ends on the default image, whatever was asked for. */
    readonly otherImage: number;
  };
}

const minute = 60_000;

export const usualHabits: Habits = {
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
