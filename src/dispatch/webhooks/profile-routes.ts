/** Where jobs of a profile go: its label, and the name of the pool of its size. Pure. */
import type { Platform, Profile, Size } from '../store/rows.ts';

export interface ProfileSettings {
  /** A job says it and the name of the profile, as one label. */
  readonly labelPrefix: string;
  /** What names of pools begin with, before their size. */
  readonly poolPrefixes: Readonly<Record<Platform, string>>;
  /** The sizes that pools on Linux have. New accounts get the first; where none is known, they get no profile. */
  readonly linuxSizes: readonly Size[];
}

export interface ProfileRoute {
  readonly label: string;
  /** The name of its pool, which may not exist. */
  readonly pool: string;
}

export function profileRoute(
  { name, platform, vcpus, memoryGb }: Profile,
  { labelPrefix, poolPrefixes }: Pick<ProfileSettings, 'labelPrefix' | 'poolPrefixes'>,
): ProfileRoute {
  return {
    label: `${labelPrefix}${name}`,
    pool: `${poolPrefixes[platform]}-${sizeText({ vcpus, memoryGb })}`,
  };
}

/** Whether a profile may be meant at all: of other jobs none need be read. */
export function mayNameProfile(labels: readonly string[], { labelPrefix }: ProfileSettings): boolean {
  const prefix = labelPrefix.toLowerCase();
  return labels.some((label) => label.toLowerCase().startsWith(prefix));
}

export function sizeText({ vcpus, memoryGb }: Size): string {
  return `${vcpus}vcpu-${memoryGb}gb`;
}

/** Undefined for what is no size. */
export function sizeOf(text: string): Size | undefined {
  const [, vcpus, memoryGb] = /^([1-9]\d{0,2})vcpu-([1-9]\d{0,3})gb$/.exec(text) ?? [];
  if (vcpus === undefined || memoryGb === undefined) return undefined;
  return { vcpus: Number(vcpus), memoryGb: Number(memoryGb) };
}
