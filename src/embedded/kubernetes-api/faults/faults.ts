/**
 * The port of fault injection. It decides once per request or watch; the faulty server injects the faults and reports
 * each.
 */
import type { Json } from '../json.ts';
import type { Asked } from './asked.ts';
import type { Fault } from './fault.ts';

export interface Faults {
  /** The faults of this request. */
  decide(asked: Asked): readonly Fault[];
  /** Schema changes by others. */
  readonly changes: readonly SchemaChange[];
  /** Called when a fault was injected, not when it was decided. */
  did(deed: Deed): void;
}

/** Replaces the schema of a custom resource, like the installation of another version of its definition. */
export interface SchemaChange {
  readonly kind: 'schema-change';
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The name of the definition, such as `widgets.example.com`. */
  readonly definition: string;
  /** Default: all versions. */
  readonly version?: string | undefined;
  readonly schema: Json;
}

export type Deed =
  | { readonly at: number; readonly fault: Fault; readonly asked: Asked }
  | { readonly at: number; readonly change: SchemaChange; readonly outcome: string };

/** One printable line, also for names with control characters. */
export function describeDeed(deed: Deed): string {
  return lineOf(deed).replaceAll(/\p{Cc}/gu, '?');
}

function lineOf(deed: Deed): string {
  if ('change' in deed) return `schema-change of ${deed.change.definition}: ${deed.outcome}`;
  const { verb, resource, namespace, name, userAgent } = deed.asked;
  const { kind, ...details } = deed.fault;
  const what = Object.entries(details).map(([key, value]) => ` ${key}=${value}`);
  const place = [namespace, name].filter((part) => part !== '').join('/');
  const words = [verb, resource, place, userAgent === '' ? '' : `by ${userAgent}`];
  return `${kind}${what.join('')} on ${words.filter((word) => word !== '').join(' ')}`;
}
