/**
 * Hears from the database that a pool may have something. A connection of its own does nothing else; when it is lost, all
 * that was said meanwhile is lost with it, so everybody is woken once when it is back.
 */
import { Client } from 'pg';
import type { Clock } from '../../../runtime/clock.ts';
import type { Secret } from '../../../runtime/secret.ts';
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
  #client: Client | undefined;
  #isStopped = false;
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
      keepAlive: true,
    });
    client.on('notification', ({ channel, payload }) => {
      if (channel === wakeChannel) onWake(payload);
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client));
    try {
      await client.connect();
      await client.query(`listen ${wakeChannel}`);
    } catch (error) {
      this.#lost(client, error);
      return;
    }
    if (this.#isStopped) return client.end();
    this.#client = client;
    onWake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    await this.#client?.end();
  }

  /** Both events may come for one loss. */
  #lost(client: Client, error?: unknown): void {
    if (this.#isStopped || this.#waitsFor === client) return;
    this.#waitsFor = client;
    if (error !== undefined) this.#ports.onTrouble(error);
    this.#client = undefined;
    this.#stopTimer = this.#ports.clock.after(retryMs, () => void this.start());
  }

  /** The one whose loss is being dealt with. */
  #waitsFor: Client | undefined;
}
