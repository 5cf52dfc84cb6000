/** A program that prints events until it ends. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export class Following {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;

  constructor(
    program: string,
    args: readonly string[],
    { env, unless }: { readonly env: NodeJS.ProcessEnv; readonly unless: AbortSignal },
  ) {
    this.#child = spawn(program, args, { env, signal: unless, stdio: 'pipe' });
    this.#ended = once(this.#child, 'exit');
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next line it prints. */
  async next(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done === true) throw new Error('the program ended and said nothing more');
    return value;
  }

  /** Returns the lines from now to the end of the program, and its exit status. */
  async rest(): Promise<{ readonly lines: readonly string[]; readonly status: number | null }> {
    const lines: string[] = [];
    for (let line = await this.#lines.next(); line.done !== true; line = await this.#lines.next())
      lines.push(line.value);
    await this.#ended;
    return { lines, status: this.#child.exitCode };
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}
