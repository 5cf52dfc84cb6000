/**
 * Hears from the database that a pool may have something. A connection of its own does nothing else; when it is lost, all
 * that was said meanwhile is lost with it, so everybody is woken once when it is back.
 */
import { Client } from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Secret } from '../../../platform/secret.ts';
import { noticeSilence } from './connection-timeouts.ts';
import { wakeChannel } from './wake.ts';

export interface WakeListenerPorts {
  readonly url: Secret;
  readonly clock: Clock;
  /** Without a name: anything may have been missed. */
  readonly onWake: (pool?: string) => void;
  readonly onTrouble: (error: unknown) => void;
}

const retryMs = 1000;

export class WakeListener {
  readonly #ports: WakeListenerPorts;
  /** The one that counts, also while it connects. What is said of any other is over. */
  #client: Client | undefined;
  #isListening = false;
  #stopTimer: () => void = () => undefined;

  constructor(ports: WakeListenerPorts) {
    this.#ports = ports;
  }

  async start(): Promise<void> {
    const { url, onWake } = this.#ports;
    const client = new Client({
      connectionString: url.reveal(),
      application_name: 'muster-listen',
      connectionTimeoutMillis: 5000,
      query_timeout: 5000,
      ...noticeSilence,
    });
    this.#client = client;
    client.on('notification', ({ channel, payload }) => {
      if (channel === wakeChannel && this.#client === client) onWake(payload);
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client));
    try {
      await client.connect();
      await client.query(`listen ${wakeChannel}`);
    } catch (error) {
      this.#lost(client, error);
    }
    // Stopped meanwhile, or lost. A server that refuses to let us listen keeps the connection open all the same.
    if (this.#client !== client) return void client.end();
    this.#isListening = true;
    onWake();
  }

  async stop(): Promise<void> {
    const [client, isListening] = [this.#client, this.#isListening];
    this.#client = undefined;
    this.#stopTimer();
    // One that still connects is left by whoever waits for that: the driver answers nobody once it is told to end.
    if (client !== undefined && isListening) await client.end();
  }

  /** Several events may come for one loss, and late ones for a loss that was dealt with. */
  #lost(client: Client, error?: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (error !== undefined) this.#ports.onTrouble(error);
    if (this.#isListening) void client.end();
    this.#isListening = false;
    this.#stopTimer = this.#ports.clock.after(retryMs, () => void this.start());
  }
}
