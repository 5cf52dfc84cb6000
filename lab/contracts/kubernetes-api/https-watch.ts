/**
 * A watch read from a response body of newline-delimited JSON.
 * The reader reads ahead, so that it notices the end of the stream while events wait.
 */
import type { Readable } from 'node:stream';
import { LineSplitter } from './line-splitter.ts';
import type { WatchEvent, WatchHandle } from './target.ts';

interface Waiting {
  resolve(event: WatchEvent): void;
  reject(why: Error): void;
}

export class HttpsWatch implements WatchHandle {
  readonly #body: Readable;
  readonly #events: WatchEvent[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #end: Promise<Error | 'clean'>;
  #over: Error | undefined;

  constructor(body: Readable) {
    this.#body = body;
    this.#end = this.#readAll();
  }

  async next(): Promise<WatchEvent> {
    const event = this.#events.shift();
    if (event !== undefined) return event;
    if (this.#over !== undefined) throw this.#over;
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async ended(): Promise<void> {
    const end = await this.#end;
    if (end !== 'clean') throw end;
  }

  async close(): Promise<void> {
    this.#body.destroy();
    await this.#end;
  }

  async #readAll(): Promise<Error | 'clean'> {
    const lines = new LineSplitter();
    try {
      for await (const chunk of this.#body) {
        for (const line of lines.push(chunk)) this.#take(parseEvent(line));
      }
      if (lines.unfinished !== '') throw new Error(`the stream ended inside an event: ${lines.unfinished}`);
      this.#finish(new Error('the server ended the watch'));
      return 'clean';
    } catch (error) {
      const why = new Error('the watch broke off', { cause: error });
      this.#finish(why);
      return why;
    }
  }

  #take(event: WatchEvent): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#events.push(event);
    else waiting.resolve(event);
  }

  #finish(why: Error): void {
    this.#over = why;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(why);
  }
}

function parseEvent(line: string): WatchEvent {
  const event: unknown = JSON.parse(line);
  if (typeof event === 'object' && event !== null && 'type' in event && 'object' in event) {
    return { type: String(event.type), object: event.object };
  }
  throw new Error(`not a watch event: ${line}`);
}
