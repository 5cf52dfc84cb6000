/**
 * Loopback ports for reference programs. They are drawn from below the range that the kernel gives to outgoing
 * connections, and reserved with a file until released, so that two runs on one machine do not pick the same port
 * between check and bind.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../error-code.ts';

const lowest = 20_000;
const highest = 32_000;
const drawsMax = 200;

export interface Ports {
  readonly numbers: readonly number[];
  release(): Promise<void>;
}

/** `draw` gives candidates; tests pass their own. */
export async function reservePorts(count: number, draw: () => number = anyPort): Promise<Ports> {
  const folder = join(tmpdir(), `muster-ports-${userInfo().uid}`);
  await mkdir(folder, { recursive: true });
  const numbers: number[] = [];
  for (let drawn = 0; numbers.length < count; drawn += 1) {
    if (drawn === drawsMax) throw new Error(`no ${count} free ports between ${lowest} and ${highest}`);
    const port = draw();
    if (!(await reserve(join(folder, String(port))))) continue;
    if (await isFree(port)) numbers.push(port);
    else await rm(join(folder, String(port)), { force: true });
  }
  const release = async (): Promise<void> => {
    await Promise.all(numbers.map((port) => rm(join(folder, String(port)), { force: true })));
  };
  return { numbers, release };
}

function anyPort(): number {
  return lowest + Math.floor(Math.random() * (highest - lowest));
}

async function reserve(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    // Left over from a killed run: cleared for the next draw, but not used in this draw.
    if (!isAlive(Number(await readFile(file, 'utf8').catch(() => process.pid))))
      await rm(file, { force: true });
    return false;
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve(true)));
  });
}
