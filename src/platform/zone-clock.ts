/** What the clock on the wall of a time zone shows at a moment: the rules of time zones are those of the platform. */
export interface ShownTime {
  /** Of the week; 0 is Monday. */
  readonly day: number;
  /** Of the day. */
  readonly minute: number;
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Undefined where there is no such time zone. */
export function zoneClock(now: number): (timeZone: string) => ShownTime | undefined {
  return (timeZone) => {
    const clock = clockOf(timeZone);
    if (clock === undefined) return undefined;
    const parts = new Map(clock.formatToParts(now).map(({ type, value }) => [type, value]));
    return {
      day: days.indexOf(parts.get('weekday') ?? ''),
      minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
    };
  };
}

function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
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
