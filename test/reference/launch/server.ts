/**
 * One real server as a child process: its log in a file, a health wait that notices an early death,
 * and a stop by process id. The child dies with us, also when we are killed outright.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MissingReferenceError } from '../reference-error.ts';

const pollMs = 50;
const healthyWithinMs = 240_000;
const stopsWithinMs = 15_000;

export interface ServerOrder {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Holds the log, `<name>.log`. */
  readonly dir: string;
  /** Ports given to the server, for the message when one is taken. */
  readonly ports: readonly number[];
  /** Another user to run as; only root may ask for that. */
  readonly user?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** How long it may take to end when asked to; then it is killed. */
  readonly patienceMs?: number;
  /** Aborted when nobody wants the server any more; a start under way then ends. */
  readonly unwanted: AbortSignal;
  /** True once the server serves. It may throw while the server is not up yet. */
  readonly isHealthy: (log: () => Promise<string>) => Promise<boolean>;
}

export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** Resolves when the process is gone, whoever ended it. */
  readonly gone: Promise<void>;
  /** Ends the process and waits until it is gone. */
  stop(): Promise<void>;
}

export async function launchServer(order: ServerOrder): Promise<Server> {
  const log = join(order.dir, `${order.name}.log`);
  const file = await open(log, 'w');
  const [command, args] = dyingWithUs(order);
  const child = spawn(command, args, {
    cwd: order.dir,
    env: order.env ?? process.env,
    stdio: ['ignore', file.fd, file.fd],
  });
  const gone = untilGone(child);
  await file.close();
  try {
    await untilHealthy(order, { child, gone, log });
  } catch (error) {
    // It never served, so there is nothing to end gently; some servers ignore TERM while they start.
    child.kill('SIGKILL');
    await gone;
    throw error;
  }
  if (child.pid === undefined) throw new Error(`${order.name} is healthy but has no process id`);
  const stop = (): Promise<void> => end(child, gone, order.patienceMs ?? stopsWithinMs);
  return { name: order.name, pid: child.pid, log, gone, stop };
}

/** The kernel delivers a KILL to the child when our process ends, whatever ended it. Linux only. */
function dyingWithUs(order: ServerOrder): [string, string[]] {
  const user =
    order.user === undefined ? [] : ['--reuid', order.user, '--regid', order.user, '--clear-groups'];
  if (process.platform !== 'linux') return [order.command, [...order.args]];
  return ['setpriv', [...user, '--pdeathsig', 'KILL', '--', order.command, ...order.args]];
}

async function untilGone(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
}

interface Starting {
  readonly child: ChildProcess;
  readonly gone: Promise<void>;
  readonly log: string;
}

async function untilHealthy(order: ServerOrder, { child, gone, log }: Starting): Promise<void> {
  const deadline = Date.now() + healthyWithinMs;
  const readLog = (): Promise<string> => readFile(log, 'utf8');
  const died = gone.then(() => false);
  const unwanted = once(order.unwanted, 'abort').then(() => false);
  for (;;) {
    // Whoever holds the port may take the question and never answer it, so these two must interrupt it.
    const healthy = order.isHealthy(readLog).catch(() => false);
    if ((await Promise.race([healthy, died, unwanted])) && !hasEnded(child)) return;
    if (hasEnded(child)) throw earlyDeath(order, await readLog(), log);
    if (order.unwanted.aborted) throw new Error(`${order.name} was not wanted any more while it started`);
    if (Date.now() > deadline) throw neverHealthy(order, await readLog(), log);
    await wait(pollMs);
  }
}

function neverHealthy(order: ServerOrder, text: string, log: string): MissingReferenceError {
  const seconds = healthyWithinMs / 1000;
  return new MissingReferenceError(
    `${order.name} is not healthy after ${seconds} s${tail(text)}`,
    `read its log: ${log}`,
  );
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

function earlyDeath(order: ServerOrder, text: string, log: string): MissingReferenceError {
  if (/address already in use/i.test(text)) {
    const port =
      order.ports.find((candidate) => text.includes(String(candidate))) ?? order.ports.join(' or ');
    return new MissingReferenceError(
      `${order.name} cannot start: port ${port} on 127.0.0.1 is already taken`,
      `see who holds it with: ss -ltnp 'sport = :${port}', then run again`,
    );
  }
  return new MissingReferenceError(`${order.name} ended while starting${tail(text)}`, `read its log: ${log}`);
}

function tail(text: string): string {
  const lines = text.trimEnd().split('\n').slice(-8);
  return lines.join('') === ''
    ? ''
    : `; its last lines:\n    ${lines.map((line) => line.slice(0, 300)).join('\n    ')}`;
}

async function end(child: ChildProcess, gone: Promise<void>, patienceMs: number): Promise<void> {
  if (!hasEnded(child)) child.kill('SIGTERM');
  const patience = new AbortController();
  const inTime = await Promise.race([
    gone.then(() => true),
    wait(patienceMs, false, { signal: patience.signal, ref: false }),
  ]);
  patience.abort();
  if (inTime) return;
  child.kill('SIGKILL');
  await gone;
}
