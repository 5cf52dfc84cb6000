/** A shell as a person keeps it open: what one block sets is there for the next. It ends at the first failure. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

export class Shell {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #gone: Promise<void>;
  #output = '';
  #heard: () => void = () => undefined;
  #blocks = 0;

  constructor(place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
    this.#child = spawn('bash', ['-euo', 'pipefail'], place);
    // Through one pipe, or the end of a block could be read before what it said last through the other.
    this.#child.stdin.write('exec 2>&1\n');
    this.#gone = new Promise((resolve) => void this.#child.once('exit', () => resolve()));
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#heard();
      });
    void this.#gone.then(() => this.#heard());
  }

  /** What the block printed; rejects when a command of it failed. */
  async run(script: string): Promise<string> {
    if (this.#child.exitCode !== null) throw new Error('the shell has ended: a block before this one failed');
    this.#blocks += 1;
    const mark = `--- end of block ${this.#blocks}`;
    this.#output = '';
    // No command may read what comes after it.
    this.#child.stdin.write(`{\n${script}\n} </dev/null\necho '${mark}'\n`);
    await new Promise<void>((resolve) => {
      this.#heard = () => {
        if (this.#output.includes(mark) || this.#child.exitCode !== null) resolve();
      };
      this.#heard();
    });
    if (!this.#output.includes(mark)) throw new Error(`a command failed:\n${script}\n\n${this.#output}`);
    return this.#output.slice(0, this.#output.indexOf(mark));
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    this.#child.kill();
    await this.#gone;
  }
}
