/**
 * A process as a manager will be one: settings, log, metrics, probes and an orderly stop, with work that a test commands.
 * It says where its probes are on standard output, and takes orders on standard input, one a line: `finish` lets the work
 * in flight end, `throw` and `reject` are faults of its own.
 */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { realClock } from '../../src/bin/real-ports.ts';
import { realProcess } from '../../src/bin/real-process.ts';
import { linesTo, pinoLogger } from '../../src/platform/process/pino-logger.ts';
import { serveProbes } from '../../src/platform/process/probe-server.ts';
import { PromMetrics } from '../../src/platform/process/prom-metrics.ts';
import { runProcess, type Running } from '../../src/platform/process/run-process.ts';
import { addSettings, flagsOf } from '../../src/platform/settings/command-options.ts';
import { processSettings } from '../../src/platform/settings/process-settings.ts';
import { readSettings } from '../../src/platform/settings/read-settings.ts';

const command = addSettings(new Command(), processSettings).parse();
const given = { flags: flagsOf(command, processSettings), env: process.env };
const settings = await readSettings(processSettings, given, { readFile: (path) => readFile(path, 'utf8') });
const metrics = new PromMetrics();
metrics.measureProcess();
const inFlight = Promise.withResolvers<void>();

const orders: Readonly<Record<string, () => void>> = {
  finish: () => inFlight.resolve(),
  throw: () =>
    setImmediate(() => {
      throw new TypeError('assertion broken');
    }),
  reject: () => void Promise.reject(new TypeError('assertion broken')),
};

async function start(running: Running): Promise<void> {
  const { alive, ready, crash } = running;
  const common = { alive: [alive], ready: [ready], metrics, onFault: crash, clock: realClock };
  const probes = await serveProbes({ ...settings.probeListen, ...common });
  running.onStop('probes', () => probes.close());
  running.onStop('work', () => inFlight.promise);
  createInterface({ input: process.stdin }).on('line', (order) => orders[order]?.());
  process.stdout.write(`${probes.url}\n`);
}

await runProcess({
  clock: realClock,
  logger: pinoLogger({ clock: realClock, level: settings.logLevel, lines: linesTo(2) }),
  outside: realProcess,
  deadlineMs: settings.stopDeadline,
  start,
});
