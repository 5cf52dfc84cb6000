/** Times of the week in which a pool keeps more idle Pods. All by the clock on the wall of a time zone. */
import { weekdays, type RunnerPool } from '../api/runner-pool.ts';

type Autoscaling = RunnerPool['spec']['autoscaling'];
export type PoolWindow = NonNullable<Autoscaling['windows']>[number];

interface WallTime {
  /** Of the week, from Monday. */
  readonly day: number;
  readonly minute: number;
}

const minutesOfDay = 24 * 60;
const daysOfWeek = weekdays.length;

/** How many idle Pods to keep on top of demand at a moment. */
export function floorAt({ minWarmPoolFloor, windows = [] }: Autoscaling, now: number): number {
  const open = windows.filter((window) => isOpen(window, now));
  return Math.max(minWarmPoolFloor, ...open.map((window) => window.minWarmPoolFloor));
}

/** The first time zone that nobody knows, if there is one. */
export function unknownZone({ windows = [] }: Autoscaling): string | undefined {
  return windows.map(({ timeZone }) => timeZone).find((timeZone) => clockOf(timeZone) === undefined);
}

/** A window to 18:00 is shut at 18:00; one over midnight belongs to the day it began on. */
export function isOpen(window: PoolWindow, now: number): boolean {
  const clock = clockOf(window.timeZone);
  if (clock === undefined) return false;
  const { day, minute } = wallTime(clock, now);
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

function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function wallTime(clock: Intl.DateTimeFormat, now: number): WallTime {
  const parts = new Map(clock.formatToParts(now).map(({ type, value }) => [type, value]));
  const name = (parts.get('weekday') ?? '').slice(0, 3).toLowerCase();
  const day = weekdays.findIndex((weekday) => weekday === name);
  return { day, minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')) };
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
