/** The local time of a time zone, by the time zone rules of the platform. */
export interface ShownTime {
  /** Day of the week; 0 is Monday. */
  readonly day: number;
  /** Minute of the day. */
  readonly minute: number;
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Undefined for an unknown time zone. */
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
