/** Parses Kubernetes quantities of memory, such as 16Gi or 1e9. */
const units: Readonly<Record<string, number>> = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** Returns undefined if the text is not a quantity. */
export function bytesOf(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?(?:e\d+)?)([a-zA-Z]*)$/.exec(text) ?? [];
  const factor = units[unit];
  return number === '' || factor === undefined ? undefined : Number(number) * factor;
}
