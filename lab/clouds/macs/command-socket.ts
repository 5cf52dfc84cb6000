/**
 * The socket through which the commands of macOS that share state reach the simulated Mac. So the state outlives the SSH
 * session that made it. One call for each connection: a line of JSON each way.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const callShape = z.object({
  name: z.string(),
  args: z.array(z.string()),
  stdin: z.string(),
  user: z.string(),
  cwd: z.string(),
  /** The job of launchd that calls; empty over SSH. */
  job: z.string(),
});

/** A command of macOS that somebody calls. */
export type Call = z.infer<typeof callShape>;

export interface Reply {
  readonly exit: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

export const done: Reply = { exit: 0 };

export function failed(exit: number, stderr: string): Reply {
  return { exit, stderr: `${stderr}\n` };
}

export class CommandSocket {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(handle: (call: Call) => Reply | Promise<Reply>) {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      // The caller may be killed while it waits.
      socket.on('error', () => socket.destroy());
      void answer(socket, handle);
    });
  }

  async listen(path: string): Promise<void> {
    this.#server.listen(path);
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}

async function answer(socket: Socket, handle: (call: Call) => Reply | Promise<Reply>): Promise<void> {
  const reply = await text(socket).then(
    (said) => replyTo(said, handle),
    (error: unknown) => failed(70, String(error)),
  );
  if (socket.writable) socket.end(JSON.stringify(reply));
}

/** An error of the simulation itself must show where the command was called. */
async function replyTo(said: string, handle: (call: Call) => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await handle(callShape.parse(JSON.parse(said)));
  } catch (error) {
    return failed(70, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}
