/** A watch on a connection: one line of JSON per event. */
import type { Readable } from 'node:stream';
import { TransportError, type KubeStream } from './transport.ts';

const lineBytesMax = 32 * 1024 * 1024;
const newline = 0x0a;

export class LineStream implements KubeStream {
  readonly #body: Readable;
  readonly #lines: AsyncGenerator<string>;

  constructor(body: Readable) {
    this.#body = body;
    this.#lines = linesOf(body);
  }

  async next(): Promise<unknown> {
    const line = await this.#line();
    if (line === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(line);
      return value;
    } catch (error) {
      this.close();
      throw new TransportError('unreadable', 'the watch said something that is not JSON', error);
    }
  }

  close(): void {
    this.#body.destroy();
  }

  async #line(): Promise<string | undefined> {
    try {
      const { value, done } = await this.#lines.next();
      return done === true ? undefined : value;
    } catch (error) {
      if (error instanceof TransportError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new TransportError('unknown', `the watch broke off: ${why}`, error);
    }
  }
}

async function* linesOf(body: Readable): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let held = 0;
  for await (const chunk of body) {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      const line = Buffer.concat([...pieces, rest.subarray(0, end)]).toString();
      [pieces, held, rest] = [[], 0, rest.subarray(end + 1)];
      if (line !== '') yield line;
    }
    pieces.push(rest);
    held += rest.length;
    if (held > lineBytesMax) throw new TransportError('unreadable', 'one event of the watch has no end');
  }
  if (held > 0) throw new TransportError('unknown', 'the watch broke off in the middle of an event');
}
