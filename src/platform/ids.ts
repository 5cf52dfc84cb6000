/** Identifiers made from the random port, so that a replay makes the same ones. */
import type { Random } from './random.ts';

/** A version 4 UUID. */
export function uuid(random: Random): string {
  const hex = Array.from({ length: 32 }, (_, index) => {
    if (index === 12) return '4';
    const digit = Math.floor(random.next() * 16);
    return (index === 16 ? 8 + (digit % 4) : digit).toString(16);
  }).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
