/** Reads watches: sequences of events, up to a given event. */
import { asObject, type KubeObject } from './kube-object.ts';
import type { WatchEvent, WatchHandle } from './target.ts';

export async function nextEvents(watch: WatchHandle, count: number): Promise<readonly WatchEvent[]> {
  const events: WatchEvent[] = [];
  while (events.length < count) events.push(await watch.next());
  return events;
}

/** Returns all events up to and including the first that `isLast` accepts. */
export async function eventsUntil(
  watch: WatchHandle,
  isLast: (event: { readonly type: string; readonly object: KubeObject }) => boolean,
): Promise<readonly WatchEvent[]> {
  const events: WatchEvent[] = [];
  for (;;) {
    const event = await watch.next();
    events.push(event);
    if (isLast({ type: event.type, object: asObject(event.object) })) return events;
  }
}

/** Short texts for comparing whole sequences: "ADDED a", "DELETED b". */
export function eventTexts(events: readonly WatchEvent[]): readonly string[] {
  return events.map(({ type, object }) => `${type} ${asObject(object).metadata.name}`);
}
