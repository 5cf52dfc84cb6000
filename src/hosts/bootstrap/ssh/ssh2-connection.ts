/** An open SSH connection to a host, on the library ssh2. */
import { openChannel, runOn } from './command-channel.ts';
import type { Link } from './link.ts';
import type { CommandResult, Fingerprint, RunOptions, SshConnection, UploadOrder } from './port.ts';
import { upload } from './upload.ts';

export class Ssh2Connection implements SshConnection {
  readonly hostKey: Fingerprint;
  readonly #link: Link;
  readonly #channelMs: number;

  constructor(link: Link, { hostKey, channelMs }: { hostKey: Fingerprint; channelMs: number }) {
    this.#link = link;
    this.hostKey = hostKey;
    this.#channelMs = channelMs;
  }

  async run(script: string, options: RunOptions): Promise<CommandResult> {
    return this.#link.within(options.deadlineMs, () => options.name, this.#run(script, options));
  }

  async upload(order: UploadOrder): Promise<'uploaded' | 'unchanged'> {
    return upload(this, order, this.#link);
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  async #run(script: string, options: RunOptions): Promise<CommandResult> {
    const opening = (): string => `the opening of a session for ${options.name}`;
    const channel = await this.#link.within(this.#channelMs, opening, openChannel(this.#link));
    return runOn(channel, this.#link, { script, options });
  }
}
