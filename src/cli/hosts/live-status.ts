/**
 * The status of a fleet, again and again: on a screen it is drawn anew in its place; anywhere else it is one line when
 * something changed, and one a minute when nothing did, so that a log stays readable.
 */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Terminal } from '../terminal.ts';
import { stampOf } from './ages.ts';
import type { Summary } from './status-summary.ts';
import { rowLine, statusLine, statusLines, type StatusRow } from './status-text.ts';

export interface LiveStatusPorts {
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly read: () => Promise<Summary>;
  /** What there is to say beyond the hosts; nothing unless given. */
  readonly rows?: () => Promise<readonly StatusRow[]>;
  /** Beside the lines of the status, on a screen. */
  readonly title: string;
}

const lookMs = 2000;
/** Lines in a log: no closer than this, and no further apart. */
const gapMs = { least: 5000, most: 60_000 };

/** Some terminals do not say how wide they are. */
const columnsUnknown = 80;

export class LiveStatus {
  readonly #ports: LiveStatusPorts;
  readonly #ended = Promise.withResolvers<void>();
  #cancel: () => void = () => undefined;
  #reading: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** On the screen, below which the cursor stands. */
  #drawn: readonly string[] = [];
  #logged = { line: '', at: Number.NEGATIVE_INFINITY };

  constructor(ports: LiveStatusPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#reading = this.#look();
  }

  /** Rejects when the fleet cannot be read for a reason that does not pass. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#reading;
    this.#ended.resolve();
  }

  /** A line by itself, which stays. */
  report(text: string): void {
    const { terminal, clock } = this.#ports;
    const drawn = this.#drawn;
    this.#erase();
    terminal.out(`${secondOf(clock.now())} ${text}\n`);
    this.#draw(drawn);
  }

  async #look(): Promise<void> {
    try {
      const summary = await this.#ports.read();
      const rows = (await this.#ports.rows?.()) ?? [];
      if (!this.#isStopped) this.#show(summary, rows);
    } catch (error) {
      if (!isFleetError(error, 'unavailable')) return this.#ended.reject(error);
      if (!this.#isStopped) this.#log(`the fleet could not be read: ${error.message}`);
    }
    if (this.#isStopped) return;
    this.#cancel = this.#ports.clock.after(lookMs, () => void (this.#reading = this.#look()));
  }

  #show(summary: Summary, rows: readonly StatusRow[]): void {
    const { terminal, clock, title } = this.#ports;
    if (terminal.columns === undefined) return this.#log(logLine(summary, rows));
    const now = clock.now();
    const lines = ['', `${title}, ${secondOf(now)}`, ...statusLines(summary, now), ...rows.map(rowLine)];
    this.#erase();
    this.#draw(lines);
  }

  #log(line: string): void {
    const now = this.#ports.clock.now();
    const { line: before, at } = this.#logged;
    const waited = now - at;
    if (line === before ? waited < gapMs.most : waited < gapMs.least) return;
    this.#logged = { line, at: now };
    this.report(line);
  }

  #erase(): void {
    if (this.#drawn.length > 0) this.#ports.terminal.out(`\u001b[${this.#drawn.length}A\u001b[J`);
    this.#drawn = [];
  }

  /** A line that the screen would break takes two rows, and could not be erased as one. */
  #draw(lines: readonly string[]): void {
    const { terminal } = this.#ports;
    const columns = terminal.columns?.() ?? 0;
    const width = columns > 0 ? columns : columnsUnknown;
    for (const line of lines) terminal.out(`${Array.from(line).slice(0, width).join('')}\n`);
    this.#drawn = lines;
  }
}

function logLine(summary: Summary, rows: readonly StatusRow[]): string {
  return [statusLine(summary), ...rows.map(({ label, text }) => `${label} ${text}`)].join('; ');
}

function secondOf(now: number): string {
  return stampOf(Math.floor(now / 1000) * 1000);
}
