/**
 * A watch on a connection: one line of JSON per event, as fast as the client reads. The initial events may be too large
 * to buffer as text, so they wait as objects. Later events have a buffer limit, beyond which the client is
 * disconnected.
 */
import type { Writable } from 'node:stream';
import type { Watch } from '../request.ts';
import { cutOff } from './cut-off.ts';
import { untilWritable } from './send-json.ts';

const unreadMax = 8 * 1024 * 1024;

export interface WatchStream {
  readonly watch: Watch;
  readonly response: Writable & { flushHeaders?: () => void };
  /** Resolves when all changes so far are durable; only durable changes are sent. */
  readonly durable: () => Promise<void>;
}

/** Resolves at the end of the watch; rejects when a change could not be stored. */
export async function streamWatch({ watch, response, durable }: WatchStream): Promise<void> {
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  response.flushHeaders?.();
  let reported = Promise.resolve();
  const roundRobin = async (before: Promise<void>, say: () => unknown): Promise<void> => {
    await before;
    await durable();
    if (!response.destroyed) await say();
  };
  const enqueue = (say: () => unknown): void => {
    reported = roundRobin(reported, say);
    reported.catch(reject);
  };
  let isBeginning = true;
  let unread = 0;
  const later = (line: string): void => {
    unread += line.length;
    if (unread > unreadMax) cutOff(response);
    else enqueue(() => write(response, line).then(() => (unread -= line.length)));
  };
  const stop = watch({
    event: (event) => {
      if (isBeginning) enqueue(() => write(response, lineOf(event)));
      else later(lineOf(event));
    },
    end: (how) => enqueue(() => (how === 'broken' ? cutOff(response) : response.end(resolve))),
  });
  isBeginning = false;
  response.once('close', resolve);
  response.once('error', () => resolve());
  try {
    await over;
  } finally {
    stop();
  }
}

async function write(response: Writable, line: string): Promise<void> {
  if (!response.write(line)) await untilWritable(response);
}

function lineOf(event: object): string {
  return `${JSON.stringify(event)}\n`;
}
