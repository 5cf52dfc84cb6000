/** A real client program against the embedded API: run to its end, or followed line by line. */
import { runCommand, type Outcome } from '../reference/run-command.ts';
import { Following } from './following.ts';

export interface ClientOptions {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  /** Aborted when the server has died, so that no call waits for the server. */
  readonly unless: AbortSignal;
  /** Flags before all other arguments. */
  readonly flags?: readonly string[];
}

export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** The same program with more flags. */
  with(...flags: readonly string[]): Client {
    return new Client({ ...this.#options, flags: [...(this.#options.flags ?? []), ...flags] });
  }

  /** The same program with another value of a variable. */
  under(env: NodeJS.ProcessEnv): Client {
    return new Client({ ...this.#options, env: { ...this.#options.env, ...env } });
  }

  async run(args: readonly string[], input?: string): Promise<Outcome> {
    const { program, flags = [], env, unless } = this.#options;
    return runCommand(program, [...flags, ...args], { env, unless, ...(input !== undefined && { input }) });
  }

  /** Returns the output; a failure of the program fails the test. */
  async ok(...args: readonly string[]): Promise<string> {
    return this.#succeeded(args, await this.run(args));
  }

  /** The same for a program that reads its input. */
  async feed(input: string, ...args: readonly string[]): Promise<string> {
    return this.#succeeded(args, await this.run(args, input));
  }

  /** Returns the error output; a success of the program fails the test. */
  async refused(...args: readonly string[]): Promise<string> {
    return this.#failed(args, await this.run(args));
  }

  async refusedFeed(input: string, ...args: readonly string[]): Promise<string> {
    return this.#failed(args, await this.run(args, input));
  }

  async json(...args: readonly string[]): Promise<unknown> {
    return JSON.parse(await this.ok(...args, '-o', 'json'));
  }

  follow(...args: readonly string[]): Following {
    const { program, flags = [], env, unless } = this.#options;
    return new Following(program, [...flags, ...args], { env, unless });
  }

  #succeeded(args: readonly string[], { status, stdout, stderr }: Outcome): string {
    if (status === 0) return stdout.trim();
    throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.trim()}`);
  }

  #failed(args: readonly string[], { status, stdout, stderr }: Outcome): string {
    if (status !== 0) return stderr.trim();
    throw new Error(`${args.join(' ')} succeeded, which it must not: ${stdout.trim()}`);
  }
}
