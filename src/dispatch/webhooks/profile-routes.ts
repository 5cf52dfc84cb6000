/** The label of a profile, and the name of the pool of its size. Pure. */
import type { Platform, Profile, Size } from '../store/rows.ts';

export interface ProfileSettings {
  /** A job names a profile with one label: this prefix and the name. */
  readonly labelPrefix: string;
  /** Prefix of pool names, before their size. */
  readonly poolPrefixes: Readonly<Record<Platform, string>>;
  /** The sizes of Linux pools. New accounts get a profile of the first size; without sizes they get none. */
  readonly linuxSizes: readonly Size[];
}

export interface ProfileRoute {
  readonly label: string;
  /** The name of the pool, which may not exist. */
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

/** Whether the labels may name a profile; else no profiles need to be read. */
export function mayNameProfile(labels: readonly string[], { labelPrefix }: ProfileSettings): boolean {
  const prefix = labelPrefix.toLowerCase();
  return labels.some((label) => label.toLowerCase().startsWith(prefix));
}

export function sizeText({ vcpus, memoryGb }: Size): string {
  return `${vcpus}vcpu-${memoryGb}gb`;
}

/** Returns undefined if the text is not a size. */
export function sizeOf(text: string): Size | undefined {
  const [, vcpus, memoryGb] = /^([1-9]\d{0,2})vcpu-([1-9]\d{0,3})gb$/.exec(text) ?? [];
  if (vcpus === undefined || memoryGb === undefined) return undefined;
  return { vcpus: Number(vcpus), memoryGb: Number(memoryGb) };
}
