/** The Event object that a series of equal happenings is kept in. */
import { uuid } from '../ids.ts';
import type { KubeObject, Place, Resource } from '../kube/kube-object.ts';
import type { Random } from '../random.ts';
import type { Happening, Subject } from './happening.ts';

export interface EventObject extends KubeObject {
  readonly count?: number;
}

export const events: Resource<EventObject> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};

export interface Times {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

const nameMax = 253;
const messageBytesMax = 1024;
const ellipsis = '…';

/** An Event lies beside its subject, and in `default` for one outside of namespaces. No two draws give one name. */
export function placeFor({ namespace = 'default', name }: Subject, random: Random): Required<EventPlace> {
  const unique = uuid(random).replaceAll('-', '').slice(0, 16);
  const room = name.slice(0, nameMax - unique.length - 1).replace(/[^a-z0-9]+$/, '');
  return { namespace, name: `${room}.${unique}` };
}

export type EventPlace = Pick<Place, 'namespace' | 'name'>;

export function eventOf(
  { subject, type, reason, message }: Happening,
  { component, place, times }: { component: string; place: EventPlace; times: Times },
): object {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: place,
    involvedObject: subject,
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    firstTimestamp: timeOf(times.firstAt),
    ...raised(times),
  };
}

/** What changes when it happens again. */
export function raised({ count, lastAt }: Times): object {
  return { count, lastTimestamp: timeOf(lastAt) };
}

/** Never in the middle of a character. */
export function cutMessage(message: string): string {
  if (Buffer.byteLength(message) <= messageBytesMax) return message;
  const room = messageBytesMax - Buffer.byteLength(ellipsis);
  const { read } = new TextEncoder().encodeInto(message, new Uint8Array(room));
  return `${message.slice(0, read)}${ellipsis}`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
