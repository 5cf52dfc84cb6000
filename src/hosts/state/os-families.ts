/**
 * Release families of macOS. A machine asks for a family (`Tahoe`), because images of single releases come and go: one
 * who insists on an image that was retired can never be served again. An exact pin (`macos-tahoe-26.3`) is taken as its
 * family for the same reason.
 */
/** An image, as far as its family goes. */
export interface Image {
  readonly name?: string | undefined;
  readonly family?: string | undefined;
  readonly version?: string | undefined;
}

export interface OfferedImage extends Image {
  readonly version: string;
  readonly isBeta: boolean;
}

/** `Tahoe`, `macos-tahoe-26.3` and `macos-tahoe-26.6.1` are `tahoe`; `Golden Gate` is `goldengate`. */
export function familyKey(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^macos-/, '')
    .replace(/-\d.*$/s, '')
    .replaceAll(/[\s_-]/g, '');
}

/** Providers have put numbers where the family should be, so the name of the image counts as well. */
export function isOfFamily(os: Image | undefined, pin: string): boolean {
  const wanted = familyKey(pin);
  const { family = '', name = '' } = os ?? {};
  return wanted !== '' && (familyKey(family) === wanted || familyKey(name) === wanted);
}

/** The newest release of the family, if any is on offer; a beta only where there is nothing else. */
export function newestOfFamily<T extends OfferedImage>(images: readonly T[], pin: string): T | undefined {
  const family = images.filter((image) => isOfFamily(image, pin));
  const released = family.filter(({ isBeta }) => !isBeta);
  const [newest] = (released.length > 0 ? released : family).toSorted((one, other) =>
    compareVersions(other.version, one.version),
  );
  return newest;
}

/** Above zero when `one` is newer: 26.6.1 is newer than 26.6, and 26.7 than 26.7-beta. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one.split('.'), other.split('.')];
  for (let place = 0; place < Math.max(left.length, right.length); place += 1) {
    const difference = comparePart(left[place], right[place]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function comparePart(one: string | undefined, other: string | undefined): number {
  const [left, right] = [partOf(one), partOf(other)];
  if (left.number !== right.number) return left.number - right.number;
  if (left.suffix === right.suffix) return 0;
  if (left.suffix === '' || right.suffix === '') return left.suffix === '' ? 1 : -1;
  return left.suffix < right.suffix ? -1 : 1;
}

function partOf(text = ''): { readonly number: number; readonly suffix: string } {
  const [, digits = '', suffix = ''] = /^(\d*)(.*)$/s.exec(text) ?? [];
  return { number: digits === '' ? -1 : Number(digits), suffix };
}
