/**
 * The repeated status of a fleet. A screen is redrawn in place. Other outputs get one line per change, and one line a
 * minute without a change, so that a log stays readable.
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
  /** Additional rows, such as jobs. */
  readonly rows?: () => Promise<readonly StatusRow[]>;
  /** The title on a screen. */
  readonly title: string;
}

const lookMs = 2000;
/** The least time between two changes in a log, and the most without a line. */
const gapMs = { least: 5000, most: 60_000 };

/** The width for terminals that do not report theirs. */
const columnsUnknown = 80;

export class LiveStatus {
  readonly #ports: LiveStatusPorts;
  readonly #ended = Promise.withResolvers<void>();
  #cancel: () => void = () => undefined;
  #reading: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** The lines on the screen, above the cursor. */
  #drawn: readonly string[] = [];
  #logged = { line: '', at: Number.NEGATIVE_INFINITY };

  constructor(ports: LiveStatusPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#reading = this.#look();
  }

  /** Rejects when reading the fleet fails with a permanent error. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#reading;
    this.#ended.resolve();
  }

  /** Prints a line that is not erased. */
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
      if (!this.#isStopped) this.#log(`failed to read the fleet: ${error.message}`);
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

  /** Cuts lines at the width: a wrapped line takes two rows and would not be erased completely. */
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
