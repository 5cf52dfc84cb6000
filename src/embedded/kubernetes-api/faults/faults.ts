/**
 * The port to what goes wrong. It is asked once for each request, a watch being one, and decides nothing else: the
 * server in front of it does what was decided, and says when it did.
 */
import type { Json } from '../json.ts';
import type { Asked } from './asked.ts';
import type { Fault } from './fault.ts';

export interface Faults {
  /** What goes wrong with this request. */
  decide(asked: Asked): readonly Fault[];
  /** What others do to the server meanwhile. */
  readonly changes: readonly SchemaChange[];
  /** Told when something was done, not when it was decided. */
  did(deed: Deed): void;
}

/** The schema of a custom resource is replaced, as by somebody who installs another version of its definition. */
export interface SchemaChange {
  readonly kind: 'schema-change';
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The name of the definition, such as `widgets.example.com`. */
  readonly definition: string;
  /** All of its versions unless given. */
  readonly version?: string | undefined;
  readonly schema: Json;
}

export type Deed =
  | { readonly at: number; readonly fault: Fault; readonly asked: Asked }
  | { readonly at: number; readonly change: SchemaChange; readonly outcome: string };

/** One line for people, whatever a client has put into its name. */
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
