/** `kill -9` in the middle of 1,000 creates from 16 clients: every answered write survives completely. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { expect, it } from 'vitest';
import type { Server } from '../../../test/reference/launch/server.ts';
import { Workplace } from '../../../test/reference/launch/workplace.ts';
import type { HttpsTarget } from '../../../lab/contracts/kubernetes-api/https-target.ts';
import { targetOf } from '../../../lab/contracts/kubernetes-api/kubeconfig-target.ts';

const clients = 16;
const createsWanted = 1000;
const killAfter = 400;

const storedSchema = z.object({
  metadata: z.object({ name: z.string(), uid: z.string(), resourceVersion: z.string() }),
  data: z.record(z.string(), z.string()),
});
const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  items: z.array(storedSchema),
});
type Stored = z.infer<typeof storedSchema>;

const path = '/api/v1/namespaces/default/configmaps';

async function start(workplace: Workplace, name: string): Promise<{ server: Server; target: HttpsTarget }> {
  const kubeconfig = join(workplace.dir, `${name}.kubeconfig`);
  const server = await workplace.launch({
    name,
    command: join(process.cwd(), 'bin', 'muster'),
    args: [
      'apiserver',
      '--listen',
      '127.0.0.1:0',
      '--data',
      join(workplace.dir, 'data'),
      '--write-kubeconfig',
      kubeconfig,
    ],
    ports: [],
    isHealthy: async (log) => (await log()).includes('Kubernetes API at'),
  });
  const target = targetOf(await readFile(kubeconfig, 'utf8'));
  return { server, target };
}

/** Creates objects until the server is gone; returns the answered ones. */
async function createAll(target: HttpsTarget, onAnswer: () => void): Promise<readonly Stored[]> {
  const answered: Stored[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < createsWanted) {
      next += 1;
      const body = {
        metadata: { name: `c-${next}` },
        data: { number: String(next), filler: 'x'.repeat(500) },
      };
      const answer = await target.request({ method: 'POST', path, body });
      expect(answer.status).toBe(201);
      answered.push(storedSchema.parse(answer.body));
      onAnswer();
    }
  };
  await Promise.allSettled(Array.from({ length: clients }, client));
  return answered;
}

it('loses no answered write, stores no partial write, and continues the revisions', async () => {
  const workplace = await Workplace.open('durability');
  try {
    const first = await start(workplace, 'first');
    let answers = 0;
    const answered = await createAll(first.target, () => {
      answers += 1;
      if (answers === killAfter) process.kill(first.server.pid, 'SIGKILL');
    });
    await first.server.gone;
    await first.target.close();

    const second = await start(workplace, 'second');
    const list = listSchema.parse((await second.target.request({ method: 'GET', path })).body);
    const ours = list.items.filter(({ metadata }) => metadata.name.startsWith('c-'));
    const kept = new Map(ours.map((item) => [item.metadata.name, item]));
    expect(answered.length).toBeGreaterThanOrEqual(killAfter);
    expect(answered.length).toBeLessThan(createsWanted);
    expect(
      answered.filter((one) => JSON.stringify(kept.get(one.metadata.name)) !== JSON.stringify(one)),
    ).toEqual([]);
    expect(ours.filter(({ metadata, data }) => data['number'] !== metadata.name.slice('c-'.length))).toEqual(
      [],
    );

    const highest = Math.max(...answered.map((one) => Number(one.metadata.resourceVersion)));
    const after = await second.target.request({
      method: 'POST',
      path,
      body: { metadata: { name: 'after' }, data: {} },
    });
    expect(
      Number(
        z.object({ metadata: z.object({ resourceVersion: z.string() }) }).parse(after.body).metadata
          .resourceVersion,
      ),
    ).toBeGreaterThan(highest);
    const resumed = await second.target.watch(path, { resourceVersion: String(highest) });
    expect(await resumed.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    await second.target.close();
  } finally {
    await workplace.close();
  }
});
