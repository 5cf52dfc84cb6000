/**
 * GET with `watch`: optionally the current state, then every change, each once and in order. An object that starts to
 * match a selector is ADDED, one that stops is DELETED with its previous state under the new revision.
 */
import type { Json } from '../json.ts';
import { withMeta, type KubeObject } from '../kube-object.ts';
import { apiVersionOf, storageName } from '../registry/resource.ts';
import type { Watch, WatchSink } from '../request.ts';
import { StatusError } from '../status-error.ts';
import type { StoreEvent } from '../store/event-log.ts';
import { wholeNumber, type Call } from './call.ts';
import { refuseWatchOptions } from './options.ts';
import { refuseUnreadableSelectors, selectionOf, type Selects } from './selection.ts';

const bookmarkEveryMs = 60_000;
const defaultTimeoutMs = 30 * 60_000;
const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' };

export function watch(call: Call): Watch {
  refuseUnreadableSelectors(call);
  refuseWatchOptions(call);
  const selects = selectionOf(call);
  const start = startOf(call);
  return (sink) => new RunningWatch(call, selects, sink).run(start);
}

interface Start {
  /** Undefined: start with the current state. */
  readonly after: number | undefined;
  /** Send the current state as ADDED events before anything else. */
  readonly initial: boolean;
  /** Send a bookmark at the end of the current state. */
  readonly markEnd: boolean;
}

function startOf(call: Call): Start {
  const asked = call.query['resourceVersion'] ?? '';
  const after = asked === '' || asked === '0' ? undefined : revisionIn(asked);
  const requirements = call.query['sendInitialEvents'];
  if (requirements === undefined) return { after, initial: after === undefined, markEnd: false };
  return {
    after,
    initial: requirements === 'true',
    markEnd: requirements === 'true' && wantsBookmarks(call),
  };
}

/** The real server answers a watch with 500 where it answers a list with 400. */
function revisionIn(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new StatusError(
    'Unknown',
    `Internal error occurred: invalid resource version ${JSON.stringify(text.slice(0, 100))}`,
  );
}

function wantsBookmarks(call: Call): boolean {
  return call.query['allowWatchBookmarks'] === 'true';
}

class RunningWatch {
  readonly #call: Call;
  readonly #selects: Selects;
  readonly #sink: WatchSink;
  #over = false;
  #stops: (() => void)[] = [];

  constructor(call: Call, selects: Selects, sink: WatchSink) {
    this.#call = call;
    this.#selects = selects;
    this.#sink = sink;
  }

  run(start: Start): () => void {
    const { store, clock, resource, query } = this.#call;
    const from = start.initial ? this.#sendCurrent() : (start.after ?? store.revision);
    if (start.markEnd) this.#bookmark(initialEventsEnd);
    const following = store.follow(storageName(resource), from, (event) => this.#deliver(event));
    if (following === 'expired') {
      this.#sink.event({
        type: 'ERROR',
        object: new StatusError('Expired', `too old resource version: ${from}`).toObject(),
      });
      this.#finish();
      return () => undefined;
    }
    this.#stops.push(
      following,
      this.#call.registry.whenWithdrawn(resource, () => this.#finish()),
    );
    if (wantsBookmarks(this.#call)) this.#bookmarkRegularly();
    const seconds = query['timeoutSeconds'] ? wholeNumber(query['timeoutSeconds'], 'timeoutSeconds') : 0;
    this.#stops.push(clock.after(seconds > 0 ? seconds * 1000 : defaultTimeoutMs, () => this.#timeOut()));
    return () => this.#stop();
  }

  #sendCurrent(): number {
    const { store, resource } = this.#call;
    const snapshot = store.list(storageName(resource));
    if (snapshot === 'expired') throw new Error('the current state cannot have expired');
    for (const object of snapshot.items) if (this.#selects(object)) this.#send('ADDED', object);
    return snapshot.revision;
  }

  #deliver(event: StoreEvent): void {
    const matched = event.previous !== undefined && this.#selects(event.previous);
    const matches = event.type !== 'DELETED' && this.#selects(event.object);
    if (matches) this.#send(matched ? 'MODIFIED' : 'ADDED', event.object);
    else if (matched) this.#send('DELETED', this.#lastMatching(event));
  }

  /** A deletion has the final state; leaving the selector has the last matching state. */
  #lastMatching(event: StoreEvent): KubeObject {
    if (event.type === 'DELETED' || event.previous === undefined) return event.object;
    return withMeta(event.previous, { resourceVersion: String(event.revision) });
  }

  #send(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    if (!this.#over) this.#sink.event({ type, object: this.#call.resource.serve(object) });
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): void {
    const { resource, store } = this.#call;
    const object: Json = {
      kind: resource.kind,
      apiVersion: apiVersionOf(resource),
      ...resource.blank,
      metadata: {
        resourceVersion: String(store.revision),
        ...(annotations !== undefined && { annotations }),
      },
    };
    this.#sink.event({ type: 'BOOKMARK', object });
  }

  #bookmarkRegularly(): void {
    const cancel = this.#call.clock.after(bookmarkEveryMs, () => {
      if (this.#over) return;
      this.#bookmark();
      this.#bookmarkRegularly();
    });
    this.#stops.push(cancel);
  }

  /** A last bookmark lets the client resume without gaps and duplicates. */
  #timeOut(): void {
    if (wantsBookmarks(this.#call)) this.#bookmark();
    this.#finish();
  }

  #finish(): void {
    if (this.#over) return;
    this.#stop();
    this.#sink.end();
  }

  #stop(): void {
    this.#over = true;
    for (const stop of this.#stops.splice(0)) stop();
  }
}
