/** Quantities such as `500m`, `1.5Gi` or `2e3`, and their canonical form. */

const shape =
  /^(?<sign>[+-]?)(?<whole>\d+)?(?:\.(?<fraction>\d*))?(?<suffix>[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;
const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** The precision is a thousandth. */
const scale = 3;
const exponentMax = 1000;
const textMax = 200;

type Form = 'binary' | 'decimal' | 'exponent';

/** Undefined for an invalid quantity. */
export function canonicalQuantity(text: string): string | undefined {
  const { sign, suffix } = partsOf(text);
  const thousandths = magnitudeOf(text);
  if (thousandths === undefined) return undefined;
  const written = write(thousandths, formOf(suffix));
  return sign === '-' && thousandths !== 0n ? `-${written}` : written;
}

/** In thousandths, so that amounts can be added and compared; undefined for an invalid quantity. */
export function thousandthsIn(text: string): bigint | undefined {
  const thousandths = magnitudeOf(text);
  return thousandths !== undefined && partsOf(text).sign === '-' ? -thousandths : thousandths;
}

function magnitudeOf(text: string): bigint | undefined {
  const { whole, fraction, suffix } = partsOf(text);
  const exponent = exponentOf(suffix, formOf(suffix));
  if (`${whole}${fraction}` === '' || Math.abs(exponent) > exponentMax) return undefined;
  return thousandthsOf(BigInt(`${whole}${fraction}`), suffix, exponent - fraction.length);
}

function partsOf(text: string) {
  const parts = text.length > textMax ? undefined : shape.exec(text.trim())?.groups;
  return { sign: '', whole: '', fraction: '', suffix: '', ...withoutGaps(parts ?? {}) };
}

/** An unmatched group is present and undefined. */
function withoutGaps(groups: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(groups).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function thousandthsOf(digits: bigint, suffix: string, exponent: number): bigint {
  const power = Math.max(binarySuffixes.indexOf(suffix), 0);
  return shifted(digits * 1024n ** BigInt(power), exponent + scale);
}

function formOf(suffix: string): Form {
  if (suffix.endsWith('i')) return 'binary';
  return /^[eE]./.test(suffix) ? 'exponent' : 'decimal';
}

function exponentOf(suffix: string, form: Form): number {
  if (form === 'exponent') return Number(suffix.slice(1));
  return form === 'binary' ? 0 : (decimalSuffixes.get(suffix) ?? 0);
}

/** Multiplies by a power of ten, rounding up. */
function shifted(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (value + divisor - 1n) / divisor;
}

function write(thousandths: bigint, form: Form): string {
  const one = 10n ** BigInt(scale);
  if (form === 'binary' && thousandths % one === 0n && thousandths / one >= 1024n)
    return writeBinary(thousandths / one);
  return writeDecimal(thousandths, form);
}

function writeBinary(amount: bigint): string {
  let [mantissa, power] = [amount, 0];
  while (mantissa % 1024n === 0n && power < binarySuffixes.length - 1) {
    mantissa /= 1024n;
    power += 1;
  }
  return `${mantissa}${binarySuffixes[power] ?? ''}`;
}

/** Uses the largest suffix without a fraction. */
function writeDecimal(thousandths: bigint, form: Form): string {
  if (thousandths === 0n) return '0';
  let [mantissa, exponent] = [thousandths, -scale];
  const exponentLimit = form === 'exponent' ? exponentMax : 18;
  while (mantissa % 1000n === 0n && exponent < exponentLimit) {
    mantissa /= 1000n;
    exponent += 3;
  }
  if (form === 'exponent') return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  const suffix = [...decimalSuffixes].find(([, power]) => power === exponent)?.[0] ?? '';
  return `${mantissa}${suffix}`;
}
