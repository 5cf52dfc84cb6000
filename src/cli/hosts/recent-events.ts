/** The last Events of an object, in both Event formats (core/v1 and events.k8s.io). */
import { z } from 'zod';
import type { KubeObject } from '../../kube/client/kube-object.ts';

export interface ReportedEvent {
  readonly at: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

const shownMax = 10;

const eventSchema = z.looseObject({
  type: z.string().nullish(),
  reason: z.string().nullish(),
  message: z.string().nullish(),
  count: z.number().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  series: z.looseObject({ count: z.number().nullish(), lastObservedTime: z.string().nullish() }).nullish(),
});

export function recentEvents(objects: readonly KubeObject[]): readonly ReportedEvent[] {
  return objects
    .map(reportedOn)
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
    .slice(0, shownMax);
}

function reportedOn(object: KubeObject): ReportedEvent {
  const event = eventSchema.parse(object);
  const times = [event.series?.lastObservedTime, event.lastTimestamp, event.eventTime];
  return {
    at: times.find((time) => typeof time === 'string') ?? object.metadata.creationTimestamp ?? '',
    type: event.type ?? '',
    reason: event.reason ?? '',
    message: event.message ?? '',
    count: event.series?.count ?? event.count ?? 1,
  };
}
