/**
 * Release families of macOS. A machine requests a family (`Tahoe`), because images of single releases come and go: a
 * machine that requires a retired image could never get a host. For the same reason an exact pin (`macos-tahoe-26.3`)
 * counts as its family.
 */
/** The fields of an image that identify its family. */
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

/** Some images have a number where the family should be, so the name of the image counts as well. */
export function isOfFamily(os: Image | undefined, pin: string): boolean {
  const wanted = familyKey(pin);
  const { family = '', name = '' } = os ?? {};
  return wanted !== '' && (familyKey(family) === wanted || familyKey(name) === wanted);
}

/** The newest release of the family; a beta only if the family has no release; undefined if there is no image. */
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
