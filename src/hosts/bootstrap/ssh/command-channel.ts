/** Runs one script on one channel: sends the script and its stdin, collects the capped output and the exit code. */
import { once } from 'node:events';
import type { ClientChannel } from 'ssh2';
import { Secret } from '../../../platform/secret.ts';
import { CappedOutput } from './capped-output.ts';
import { SshError } from './errors.ts';
import type { Link } from './link.ts';
import type { CommandResult, RunOptions, Stdin } from './port.ts';
import { safeText } from './safe-text.ts';
import { frameScript, launcher } from './script-launcher.ts';

/** At most three chunks are in memory: one that is sent, its encrypted copy, and one that a file reads ahead. */
const chunkMax = 64 * 1024;
const stderrLinesMax = 5;

/** A refusal ends the link: a host that refuses one session has too many of them, or is about to stop. */
export async function openChannel(link: Link): Promise<ClientChannel> {
  const { promise, resolve } = Promise.withResolvers<ClientChannel>();
  const refuse = (error: unknown): void => {
    const why = `the host refused a session: ${safeText(error instanceof Error ? error.message : '')}`;
    link.fail({ kind: 'connection-lost', why, isCanceled: false });
  };
  try {
    link.client.exec(launcher, (error, channel) => (error === undefined ? resolve(channel) : refuse(error)));
  } catch (error) {
    refuse(error);
  }
  return promise;
}

export async function runOn(
  channel: ClientChannel,
  link: Link,
  { script, options }: { readonly script: string; readonly options: RunOptions },
): Promise<CommandResult> {
  const stdout = new CappedOutput(options.stdoutMax);
  const stderr = new CappedOutput(options.stderrMax);
  channel.on('error', (error: Error) => {
    link.fail({ kind: 'connection-lost', why: safeText(error.message), isCanceled: false });
  });
  channel.on('data', (piece: Buffer) => stdout.add(piece));
  channel.stderr.on('data', (piece: Buffer) => stderr.add(piece));
  const exited = exitOf(channel);
  const pieces = chunks(frameScript(script), options.stdin);
  const [{ code, signal }] = await Promise.all([
    exited,
    once(channel.stderr, 'end'),
    send(channel, link, { pieces, exited }),
  ]);
  const exit = code ?? signal;
  if (exit === undefined) {
    const why = 'the host ended a command without an exit code';
    throw new SshError(link.host, { kind: 'connection-lost', why, isCanceled: false });
  }
  if (typeof exit === 'number' && (options.exitCodes ?? [0]).includes(exit)) {
    const droppedBytes = { stdout: stdout.droppedBytes, stderr: stderr.droppedBytes };
    return { exitCode: exit, stdout: stdout.text(), stderr: stderr.text(), droppedBytes };
  }
  const shown = safeText(stderr.lastLines(stderrLinesMax), { script, stdin: textOf(options.stdin) });
  throw new SshError(link.host, { kind: 'command-failed', name: options.name, exit, stderr: shown });
}

interface Exit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** The library names neither where the host closed the channel without an exit code. */
async function exitOf(channel: ClientChannel): Promise<Exit> {
  const { promise, resolve } = Promise.withResolvers<Exit>();
  channel.once('close', (code?: number | null, signal?: string) =>
    resolve({ code: code ?? undefined, signal }),
  );
  return promise;
}

/** A command may end before it has read everything. From then on the library confirms no write, so that is waited for too. */
async function send(
  channel: ClientChannel,
  link: Link,
  { pieces, exited }: { readonly pieces: AsyncIterable<Uint8Array>; readonly exited: Promise<Exit> },
): Promise<void> {
  const closed = exited.then(() => 'closed' as const);
  const unlessClosed = async (work: Promise<unknown>): Promise<unknown> =>
    link.whileAlive(Promise.race([work, closed]));
  try {
    for await (const piece of pieces) {
      if ((await unlessClosed(write(channel, piece))) === 'closed') return;
      // The library hands everything to the socket that the window of the host allows, which is megabytes.
      if (link.socket.writableNeedDrain) await unlessClosed(once(link.socket, 'drain'));
    }
    channel.end();
  } catch (error) {
    channel.close();
    throw error;
  }
}

function write(channel: ClientChannel, piece: Uint8Array): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  channel.write(piece, () => resolve());
  return promise;
}

async function* chunks(head: Buffer, stdin: Stdin | undefined): AsyncGenerator<Uint8Array> {
  yield head;
  for await (const piece of piecesOf(stdin)) {
    for (let at = 0; at < piece.length; at += chunkMax) yield piece.subarray(at, at + chunkMax);
  }
}

export function piecesOf(stdin: Stdin | undefined): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (stdin === undefined) return [];
  if (stdin instanceof Secret) return [Buffer.from(stdin.reveal())];
  return stdin instanceof Uint8Array ? [stdin] : stdin;
}

/** What is streamed is too large to look for. */
function textOf(stdin: Stdin | undefined): string {
  if (stdin instanceof Secret) return stdin.reveal();
  return stdin instanceof Uint8Array ? Buffer.from(stdin).toString() : '';
}
