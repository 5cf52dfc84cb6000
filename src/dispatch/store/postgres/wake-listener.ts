/**
 * Listens on a separate connection for notifications that a pool may have a job. Notifications sent while the
 * connection is down are lost, so all pools are woken once after a reconnect.
 */
import { Client } from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Secret } from '../../../platform/secret.ts';
import { noticeSilence } from './connection-timeouts.ts';
import { wakeChannel } from './wake.ts';

export interface WakeListenerPorts {
  readonly url: Secret;
  readonly clock: Clock;
  /** Without a name: wakes may have been missed. */
  readonly onWake: (pool?: string) => void;
  readonly onTrouble: (error: unknown) => void;
}

const retryMs = 1000;

export class WakeListener {
  readonly #ports: WakeListenerPorts;
  /** The current client, even while it connects. Events of other clients are ignored. */
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
    // Stopped meanwhile, or lost. The connection may still be open if the server refused LISTEN.
    if (this.#client !== client) return void client.end();
    this.#isListening = true;
    onWake();
  }

  async stop(): Promise<void> {
    const [client, isListening] = [this.#client, this.#isListening];
    this.#client = undefined;
    this.#stopTimer();
    // A client that is still connecting is ended by `start`: the driver never settles `connect` after `end`.
    if (client !== undefined && isListening) await client.end();
  }

  /** A loss may cause several events, some of them late. */
  #lost(client: Client, error?: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (error !== undefined) this.#ports.onTrouble(error);
    if (this.#isListening) void client.end();
    this.#isListening = false;
    this.#stopTimer = this.#ports.clock.after(retryMs, () => void this.start());
  }
}
