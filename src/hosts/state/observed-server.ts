/** The part of a server that a MacHost records, and whether it has changed. */
import type { HostStatus } from './host-record.ts';
import { timeText } from '../../platform/time-text.ts';

/** The recorded facts of a server, as the provider port returns them. */
export interface ServerFacts {
  readonly name: string;
  readonly zone: string;
  readonly type: string;
  readonly ip: string | undefined;
  readonly statusText: string;
  readonly delivered: boolean;
  readonly os:
    | { readonly id: string; readonly name: string; readonly family: string; readonly version: string }
    | undefined;
  readonly deletableAt: number | undefined;
  readonly deletionScheduled: boolean;
}

/** The patch of the status: a null removes the earlier value. */
export interface ObservedPatch {
  readonly name: string;
  readonly zone: string;
  readonly type: string;
  readonly status: string;
  readonly delivered: boolean;
  readonly deletionScheduled: boolean;
  readonly ip: string | null;
  readonly deletableAt: string | null;
  readonly os: NonNullable<ServerFacts['os']> | null;
}

export function observedOf(server: ServerFacts): ObservedPatch {
  const { name, zone, type, statusText, delivered, deletionScheduled, ip, deletableAt, os } = server;
  return {
    name,
    zone,
    type,
    status: statusText,
    delivered,
    deletionScheduled,
    ip: ip ?? null,
    deletableAt: deletableAt === undefined ? null : timeText(deletableAt),
    os: os === undefined ? null : { id: os.id, name: os.name, family: os.family, version: os.version },
  };
}

export interface PricedPatch extends ObservedPatch {
  readonly pricePerHourEuros: number | null;
}

/** With the price by hour, from configured prices by day and type; null where the type has no price. */
export function pricedOf(server: ServerFacts, prices: ReadonlyMap<string, number>): PricedPatch {
  const price = prices.get(server.type);
  return {
    ...observedOf(server),
    pricePerHourEuros: price === undefined ? null : Math.round((price / 24) * 1e6) / 1e6,
  };
}

/** Whether the patch would change anything. */
export function hasChanged(patch: ObservedPatch, before: HostStatus['observed']): boolean {
  const { os, ...plain } = patch;
  const had: Readonly<Record<string, unknown>> = before ?? {};
  if (Object.entries(plain).some(([field, value]) => (had[field] ?? null) !== value)) return true;
  const fields = ['id', 'name', 'family', 'version'] as const;
  return fields.some((field) => (before?.os?.[field] ?? null) !== (os?.[field] ?? null));
}
