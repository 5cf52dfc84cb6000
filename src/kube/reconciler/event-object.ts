/** The Event object for a series of equal Events. */
import { uuid } from '../../platform/ids.ts';
import type { KubeObject, Place, Resource } from '../client/kube-object.ts';
import type { Random } from '../../platform/random.ts';
import type { EventDraft, Subject } from './event-draft.ts';

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

/**
 * An Event is created in the namespace of its subject, or in `default` for cluster-scoped subjects. Each name is
 * unique.
 */
export function placeFor({ namespace = 'default', name }: Subject, random: Random): Required<EventPlace> {
  const unique = uuid(random).replaceAll('-', '').slice(0, 16);
  const remaining = name.slice(0, nameMax - unique.length - 1).replace(/[^a-z0-9]+$/, '');
  return { namespace, name: `${remaining}.${unique}` };
}

export type EventPlace = Pick<Place, 'namespace' | 'name'>;

export function eventOf(
  { subject, type, reason, message }: EventDraft,
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

/** The fields that change when the Event repeats. */
export function raised({ count, lastAt }: Times): object {
  return { count, lastTimestamp: timeOf(lastAt) };
}

/** Never cuts inside a character. */
export function cutMessage(message: string): string {
  if (Buffer.byteLength(message) <= messageBytesMax) return message;
  const remaining = messageBytesMax - Buffer.byteLength(ellipsis);
  const { read } = new TextEncoder().encodeInto(message, new Uint8Array(remaining));
  return `${message.slice(0, read)}${ellipsis}`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
