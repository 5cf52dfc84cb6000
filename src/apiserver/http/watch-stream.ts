/** A watch on a connection: one line of JSON per event. A client that does not read is cut off, not buffered for ever. */
import type { Writable } from 'node:stream';
import type { Watch } from '../request.ts';
import { cutOff } from './cut-off.ts';

const unreadBytesMax = 8 * 1024 * 1024;

export interface WatchStream {
  readonly watch: Watch;
  readonly response: Writable & { flushHeaders?: () => void };
  /** Resolves when what has happened so far survives a crash: nobody is told of what might not have been. */
  readonly durable: () => Promise<void>;
}

/** Resolves when the watch is over, whoever ended it; rejects when what happened could not be kept. */
export async function streamWatch({ watch, response, durable }: WatchStream): Promise<void> {
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  response.flushHeaders?.();
  let told = Promise.resolve();
  const inTurn = async (before: Promise<void>, say: () => void): Promise<void> => {
    await before;
    await durable();
    if (!response.destroyed) say();
  };
  const tell = (say: () => void): void => {
    told = inTurn(told, say);
    told.catch(reject);
  };
  const stop = watch({
    event: (event) => tell(() => write(response, `${JSON.stringify(event)}\n`)),
    end: (how) => tell(() => (how === 'broken' ? cutOff(response) : response.end(resolve))),
  });
  response.once('close', resolve);
  response.once('error', () => resolve());
  try {
    await over;
  } finally {
    stop();
  }
}

function write(response: Writable, line: string): void {
  response.write(line);
  if (response.writableLength > unreadBytesMax) cutOff(response);
}
