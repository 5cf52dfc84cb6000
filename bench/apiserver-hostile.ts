/**
 * `npm run bench:apiserver -- --hostile`: the cost of expensive bodies. Each is sent with 1 MB and with 3 MB, as an
 * administrator and without credentials. A refusal is an answer like any other.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { z } from 'zod';
import { hostileBodies, hostileObjects, type HostileBody } from '../test/hostile/hostile-bodies.ts';
import { hostileDefinition } from '../test/hostile/hostile-definition.ts';
import { Workplace } from '../test/reference/launch/workplace.ts';
import type { HostileStep } from './apiserver-hostile-child.ts';
import { startChild, type Child } from './child-link.ts';

const megabyte = 1_000_000;
const sizes = [megabyte, 3 * megabyte] as const;
const blockedMaxMs = 250;
/**
 * Between three, which is linear in the body, and nine, which is quadratic: V8 takes twice as long for each key of an
 * object of 300,000 keys as for one of 100,000.
 */
const growthMax = 6;
/** Below this a growth is not meaningful. */
const leastMs = 20;
const adminTries = 3;
/** The peak memory of the process, with bodies of 3 MB in sequence. */
const peakMiBMax = 1024;
/** A server that needs more fails, and the benchmark with it. Without a limit V8 keeps up to a gigabyte of garbage. */
const heapLimit = '--max-old-space-size=768';
/** The memory that may remain of all bodies after a collection. */
const leftMiBMax = 16;

const configSchema = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.string(), 'certificate-authority-data': z.string() }) }),
  ]),
  users: z.tuple([
    z.object({
      user: z.object({ 'client-certificate-data': z.string(), 'client-key-data': z.string() }),
    }),
  ]),
});

type Sent = Omit<HostileBody, 'name' | 'text'>;

/** Sends a body; the answer is the code, or 0 where the connection was closed. */
type Send = (to: Sent, bytes: string, isAdmin: boolean) => Promise<number>;

function sender(file: string): Send {
  const { clusters, users } = configSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const decoded = (text: string): Buffer => Buffer.from(text, 'base64');
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  const ca = decoded(cluster['certificate-authority-data']);
  const pair = {
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  };
  return ({ method, path, contentType }, bytes, isAdmin) =>
    new Promise((resolve) => {
      const sending = request(
        new URL(path, cluster.server),
        { method, ca, ...(isAdmin && pair), agent: false, headers: { 'content-type': contentType } },
        (answer) => answer.resume().once('end', () => resolve(answer.statusCode ?? 0)),
      );
      sending.once('error', () => resolve(0));
      sending.end(bytes);
    });
}

async function prepare(send: Send): Promise<void> {
  const definition = {
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    text: JSON.stringify(hostileDefinition),
  };
  for (const { path, text } of [definition, ...hostileObjects]) {
    const code = await send({ method: 'POST', path, contentType: 'application/json' }, text, true);
    if (code !== 201) throw new Error(`failed to create an object at ${path}: the server answered ${code}`);
  }
}

interface Row {
  readonly name: string;
  readonly codes: string;
  readonly blockedMs: readonly number[];
  readonly residentMiB: number;
}

interface Server {
  readonly child: Child<HostileStep>;
  readonly send: Send;
}

interface Sample {
  readonly code: number;
  readonly blockedMs: number;
  readonly residentMiB: number;
}

async function sample(
  { child, send }: Server,
  body: HostileBody,
  isAdmin: boolean,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const size of sizes) {
    const text = body.text(size);
    await child.ask('take');
    const code = await send(body, text, isAdmin);
    const { blockedMs = 0, residentMiB = 0 } = await child.ask('take');
    samples.push({ code, blockedMs, residentMiB });
  }
  return samples;
}

/** Other load only adds to a stretch, so the shortest of several tries counts. */
async function measure(server: Server, body: HostileBody, isAdmin: boolean): Promise<Row> {
  const tries: (readonly Sample[])[] = [];
  while (tries.length < (isAdmin ? adminTries : 1)) tries.push(await sample(server, body, isAdmin));
  const shortest = (index: number): number => Math.min(...tries.map((one) => one[index]?.blockedMs ?? 0));
  const blockedMs = sizes.map((_, index) => shortest(index));
  const last = tries.at(-1) ?? [];
  const codes = last.map(({ code }) => code);
  const residentMiB = last.at(-1)?.residentMiB ?? 0;
  const name = `${body.name}, ${isAdmin ? 'admin' : 'anonymous'}`;
  return { name, codes: codes.join('/'), blockedMs, residentMiB };
}

function perMegabyte({ blockedMs }: Row): number {
  return Math.max(...blockedMs.map((ms, index) => ms / ((sizes[index] ?? megabyte) / megabyte)));
}

function growthOf({ blockedMs: [small = 0, large = 0] }: Row): number {
  return large / Math.max(small, leastMs);
}

function lineOf(row: Row): string {
  const { name, codes, blockedMs, residentMiB } = row;
  const numbers = [...blockedMs, growthOf(row), residentMiB].map((one, index) =>
    one.toFixed(index === 2 ? 1 : 0).padStart(8),
  );
  return `${name.padEnd(52)}${codes.padStart(8)}${numbers.join('')}`;
}

interface Goal {
  readonly what: string;
  /** The figures that missed the goal. */
  readonly broken: readonly string[];
}

function goalOfRows(what: string, rows: readonly Row[]): Goal {
  return { what, broken: rows.map(({ name }) => name) };
}

function goalOfMemory(what: string, mebibytes: number, most: number): Goal {
  const broken = mebibytes > most ? [`${mebibytes.toFixed(0)} MiB`] : [];
  return { what: `${what}: ${mebibytes.toFixed(0)} MiB, at most ${most} MiB`, broken };
}

function goalsOf(rows: readonly Row[], peakMiB: number, leftMiB: number): readonly Goal[] {
  return [
    goalOfRows(
      `growth below ${growthMax}`,
      rows.filter((row) => growthOf(row) > growthMax),
    ),
    goalOfRows(
      `at most ${blockedMaxMs} ms blocked for each MB`,
      rows.filter((row) => perMegabyte(row) > blockedMaxMs),
    ),
    goalOfMemory('memory of the process at its highest', peakMiB, peakMiBMax),
    goalOfMemory('heap that is left of all bodies', leftMiB, leftMiBMax),
    goalOfRows(
      'each body meets what it is about',
      rows.filter(({ codes }) => codes.includes('404')),
    ),
  ];
}

/** A missed goal also sets the exit code. */
function report(goals: readonly Goal[]): void {
  for (const { what, broken } of goals) {
    console.log([`${broken.length === 0 ? 'met' : 'MISSED'}: ${what}`, ...broken].join('\n  '));
    if (broken.length > 0) process.exitCode = 1;
  }
}

export async function benchHostile(): Promise<void> {
  const workplace = await Workplace.open('bench-hostile');
  const file = join(workplace.dir, 'kubeconfig');
  const child = startChild<HostileStep>({
    program: 'apiserver-hostile-child.ts',
    args: [file],
    flags: [heapLimit],
  });
  try {
    await child.ask('start');
    const send = sender(file);
    await prepare(send);
    const titles = ['codes', '1 MB ms', '3 MB ms', 'growth', 'MiB'];
    console.log(`${'body'.padEnd(52)}${titles.map((one) => one.padStart(8)).join('')}`);
    const rows: Row[] = [];
    const { heapMiB: before = 0 } = await child.ask('collect');
    for (const body of hostileBodies)
      for (const isAdmin of [true, false]) {
        const row = await measure({ child, send }, body, isAdmin);
        rows.push(row);
        console.log(lineOf(row));
      }
    const { heapMiB: after = 0, peakMiB = 0 } = await child.ask('collect');
    report(goalsOf(rows, peakMiB, after - before));
  } finally {
    await child.end();
    await workplace.close('remove');
  }
}
