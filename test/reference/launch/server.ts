/**
 * One real server as a child process: its log in a file, a health wait that notices an early death, and a stop by
 * process id. The child dies with this process, even after a SIGKILL.
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
  /** The folder of the log, `<name>.log`. */
  readonly dir: string;
  /** The ports of the server, for the error about a port in use. */
  readonly ports: readonly number[];
  /** Another user to run as; only root may set this. */
  readonly user?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The grace period after SIGTERM; then the server is killed. */
  readonly patienceMs?: number;
  /** Aborted when the server is no longer needed; a running start then ends. */
  readonly unwanted: AbortSignal;
  /** True once the server serves. May throw before that. */
  readonly isHealthy: (log: () => Promise<string>) => Promise<boolean>;
}

export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** Resolves when the process is gone, for any reason. */
  readonly gone: Promise<void>;
  /** Ends the process and waits for its end. */
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
    // The server never served, so it is killed; some servers ignore TERM while they start.
    child.kill('SIGKILL');
    await gone;
    throw error;
  }
  if (child.pid === undefined) throw new Error(`${order.name} is healthy but has no process id`);
  const stop = (): Promise<void> => end(child, gone, order.patienceMs ?? stopsWithinMs);
  return { name: order.name, pid: child.pid, log, gone, stop };
}

/** The kernel sends SIGKILL to the child when this process ends in any way. Linux only. */
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
    // Another process on the port may accept the request and never answer, so these two must interrupt the wait.
    const healthy = order.isHealthy(readLog).catch(() => false);
    if ((await Promise.race([healthy, died, unwanted])) && !hasEnded(child)) return;
    if (hasEnded(child)) throw earlyDeath(order, await readLog(), log);
    if (order.unwanted.aborted) throw new Error(`${order.name} was canceled while it started`);
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
