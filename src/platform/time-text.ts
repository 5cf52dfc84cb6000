/** A time in objects, to the millisecond: orders and wipes are matched by their times. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
