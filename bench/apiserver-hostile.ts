/**
 * `npm run bench:apiserver -- --hostile`: what bodies cost that are made to cost much. Each is sent with 1 MB and with 3 MB,
 * with the rights of an administrator and without credentials. A refusal is an answer like any other.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { z } from 'zod';
import { hostileBodies, victim, type HostileBody } from '../test/hostile/hostile-bodies.ts';
import { hostileDefinition } from '../test/hostile/hostile-definition.ts';
import { Workplace } from '../test/real/launch/workplace.ts';
import type { HostileStep } from './apiserver-hostile-child.ts';
import { startChild, type Child } from './child-link.ts';

const megabyte = 1_000_000;
const sizes = [megabyte, 3 * megabyte] as const;
const blockedMaxMs = 250;
/** Three times the body, with room for what else the machine does. */
const growthMax = 4.5;
/** Below it a growth says nothing. */
const leastMs = 20;

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
  const post = (path: string, body: unknown): Promise<number> =>
    send({ method: 'POST', path, contentType: 'application/json' }, JSON.stringify(body), true);
  await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', hostileDefinition);
  await post('/api/v1/namespaces/default/configmaps', { metadata: { name: victim }, data: {} });
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

async function measure({ child, send }: Server, body: HostileBody, isAdmin: boolean): Promise<Row> {
  const [codes, blockedMs]: [number[], number[]] = [[], []];
  let residentMiB = 0;
  for (const size of sizes) {
    const text = body.text(size);
    await child.ask('take');
    codes.push(await send(body, text, isAdmin));
    const taken = await child.ask('take');
    blockedMs.push(taken['blockedMs'] ?? 0);
    residentMiB = taken['residentMiB'] ?? 0;
  }
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

function goal(what: string, broken: readonly Row[]): string {
  return `${broken.length === 0 ? 'met' : 'MISSED'}: ${what}${broken.map(({ name }) => `\n  ${name}`).join('')}`;
}

export async function benchHostile(): Promise<void> {
  const workplace = await Workplace.open('bench-hostile');
  const file = join(workplace.dir, 'kubeconfig');
  const child = startChild<HostileStep>({ program: 'apiserver-hostile-child.ts', args: [file] });
  try {
    await child.ask('start');
    const send = sender(file);
    await prepare(send);
    console.log(
      `${'body'.padEnd(52)}${['codes', '1 MB ms', '3 MB ms', 'growth', 'MiB'].map((one) => one.padStart(8)).join('')}`,
    );
    const rows: Row[] = [];
    for (const body of hostileBodies)
      for (const isAdmin of [true, false]) {
        const row = await measure({ child, send }, body, isAdmin);
        rows.push(row);
        console.log(lineOf(row));
      }
    console.log(
      goal(
        `growth below ${growthMax}`,
        rows.filter((row) => growthOf(row) > growthMax),
      ),
    );
    console.log(
      goal(
        `at most ${blockedMaxMs} ms blocked for each MB`,
        rows.filter((row) => perMegabyte(row) > blockedMaxMs),
      ),
    );
  } finally {
    await child.end();
    await workplace.close('remove');
  }
}
