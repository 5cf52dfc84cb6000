/** Weekly windows in which a pool keeps more warm Pods, in the local time of a time zone. */
import { weekdays, type RunnerPool } from '../../api/kinds/runner-pool.ts';

type Autoscaling = RunnerPool['spec']['autoscaling'];
export type PoolWindow = NonNullable<Autoscaling['windows']>[number];

export interface WallTime {
  /** Day of the week; 0 is Monday. */
  readonly day: number;
  /** Minute of the day. */
  readonly minute: number;
}

/** The local time of a time zone; undefined if the time zone does not exist. */
export type WallClock = (timeZone: string) => WallTime | undefined;

const minutesOfDay = 24 * 60;
const daysOfWeek = weekdays.length;

/** The number of warm Pods on top of demand at a moment. */
export function floorAt({ minWarmPoolFloor, windows = [] }: Autoscaling, clock: WallClock): number {
  const open = windows.filter((window) => isOpen(window, clock));
  return Math.max(minWarmPoolFloor, ...open.map((window) => window.minWarmPoolFloor));
}

/** The first time zone that does not exist, if any. */
export function unknownZone({ windows = [] }: Autoscaling, clock: WallClock): string | undefined {
  return windows.map(({ timeZone }) => timeZone).find((timeZone) => clock(timeZone) === undefined);
}

/** A window until 18:00 is closed at 18:00. A window over midnight belongs to the day on which it began. */
export function isOpen(window: PoolWindow, clock: WallClock): boolean {
  const shown = clock(window.timeZone);
  if (shown === undefined) return false;
  const { day, minute } = shown;
  const [from, to] = [minuteOf(window.from), minuteOf(window.to)];
  const length = to > from ? to - from : to + minutesOfDay - from;
  const isOn = (index: number): boolean => {
    const name = weekdays[(index + daysOfWeek) % daysOfWeek];
    return window.days === undefined || (name !== undefined && window.days.includes(name));
  };
  const sinceToday = minute - from;
  const sinceYesterday = sinceToday + minutesOfDay;
  return (sinceToday >= 0 && sinceToday < length && isOn(day)) || (sinceYesterday < length && isOn(day - 1));
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
