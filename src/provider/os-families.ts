/**
 * Release families of macOS. A machine asks for a family (`Tahoe`), because images of single releases come and go: one
 * who insists on an image that was retired can never be served again. An exact pin (`macos-tahoe-26.3`) is taken as its
 * family for the same reason.
 */
import type { FleetError } from '../errors/fleet-error.ts';
import type { OperatingSystem } from './port.ts';
import { providerFailure } from './provider-failure.ts';

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
export function isOfFamily(os: OperatingSystem | undefined, pin: string): boolean {
  const wanted = familyKey(pin);
  if (os === undefined || wanted === '') return false;
  return familyKey(os.family) === wanted || familyKey(os.name) === wanted;
}

/** The newest release of the family; a beta only where there is nothing else. */
export function newestOfFamily(images: readonly OperatingSystem[], pin: string): OperatingSystem {
  const family = images.filter((image) => isOfFamily(image, pin));
  const released = family.filter(({ isBeta }) => !isBeta);
  const [newest] = (released.length > 0 ? released : family).toSorted((one, other) =>
    compareVersions(other.version, one.version),
  );
  if (newest === undefined) throw notPublished(images, pin);
  return newest;
}

function notPublished(images: readonly OperatingSystem[], pin: string): FleetError {
  const families = [...new Set(images.map(({ family, name }) => family || familyKey(name)))].toSorted();
  const offer = families.length === 0 ? 'nothing is' : `there are ${families.join(', ')}`;
  return providerFailure('rejected', {
    reason: 'OSNotPublished',
    message: `no image of the family ${JSON.stringify(pin)} is on offer; ${offer}`,
  });
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
