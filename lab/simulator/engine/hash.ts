/** Small hashes of numbers and text: for random streams, for draws by name, and for traces. */
const textStart = 0x811c_9dc5;
const textPrime = 0x0100_0193;

export function hashText(text: string, start: number = textStart): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), textPrime);
  return hash >>> 0;
}

/** Mixes one more number into a hash; each bit of either changes about half of the result. */
export function mixed(hash: number, value: number): number {
  let next = Math.imul(hash ^ value, 0x85eb_ca6b);
  next = Math.imul(next ^ (next >>> 13), 0xc2b2_ae35);
  next ^= next >>> 16;
  next = Math.imul(next + 0x9e37_79b9, 0x21f0_aaad);
  return (next ^ (next >>> 15)) >>> 0;
}

/** Mixes both halves of an integer, which may be larger than 32 bits. */
export function mixedWhole(hash: number, value: number): number {
  return mixed(mixed(hash, value | 0), Math.floor(value / 2 ** 32) | 0);
}
