/** A moment as it is written into objects: to the millisecond, for orders and wipes are compared by their times. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
