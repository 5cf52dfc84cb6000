import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { Secret } from '../../platform/secret.ts';
import { MemoryStore } from '../store/model/memory-store.ts';
import type { Effect } from '../store/port.ts';
import { WebhookReceiver, type Reply } from './receiver.ts';

/** Payloads sent by GitHub and GitHub Enterprise Server, as Octokit has collected them. */
const home = dirname(createRequire(import.meta.url).resolve('@octokit/webhooks-examples/package.json'));
const servers = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35'];

const definitions = z.array(z.object({ name: z.string(), examples: z.array(z.unknown()) }));
const example = z.object({
  action: z.string(),
  installation: z.object({ id: z.int().transform(String) }).optional(),
  workflow_job: z.object({ id: z.int().transform(String), labels: z.array(z.string()) }).optional(),
});

interface Example {
  readonly title: string;
  readonly event: string;
  readonly payload: unknown;
}

function examplesOf(server: string): readonly Example[] {
  const text = readFileSync(join(home, server, 'index.json'), 'utf8');
  return definitions
    .parse(JSON.parse(text))
    .filter(({ name }) => name === 'workflow_job' || name === 'installation')
    .flatMap(({ name, examples }) =>
      examples.map((payload, index) => {
        const { action } = example.parse(payload);
        return { title: `${server}: ${name} ${action}, ${index}`, event: name, payload };
      }),
    );
}

const kinds: Readonly<Record<string, Effect['kind']>> = {
  waiting: 'wait',
  queued: 'enqueue',
  in_progress: 'start',
  completed: 'complete',
};
const secret = 'a secret for webhooks';
const shape = { platform: 'linux', vcpus: 2, memoryGb: 8 } as const;

/** Routes a payload with a stored installation, and a pool for the first label of the job. */
async function receive({ event, payload }: Example): Promise<{ reply: Reply; effects: readonly Effect[] }> {
  const { installation, workflow_job: job } = example.parse(payload);
  const store = new MemoryStore();
  const account = { id: '1', login: 'octo-org' };
  if (event === 'workflow_job' && installation !== undefined)
    await store.apply({
      kind: 'install',
      account,
      installation: { id: installation.id, accountId: account.id, state: 'active' },
    });
  const effects: Effect[] = [];
  const ingress = new WebhookReceiver({
    store: {
      account: (id) => store.account(id),
      installation: (id) => store.installation(id),
      job: (id) => store.job(id),
      profiles: (accountId) => store.profiles(accountId),
      ingest: (delivery, effect) => {
        effects.push(effect);
        return store.ingest(delivery, effect);
      },
    },
    clock: new TestClock(Date.UTC(2026, 0, 1)),
    secrets: () => [new Secret(secret)],
    pools: () => [
      { name: 'pool', dispatchLabel: job?.labels[0] ?? 'none', runnerLabels: job?.labels ?? [], shape },
    ],
    allowedAccounts: ['*'],
    say: () => undefined,
    counted: () => undefined,
  });
  const body = Buffer.from(JSON.stringify(payload));
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return { reply: await ingress.receive({ signature, guid: 'guid', event, body }), effects };
}

const all = servers.flatMap(examplesOf);
const jobs = all.filter(({ event }) => event === 'workflow_job');
const isInstalled = ({ payload }: Example): boolean => example.parse(payload).installation !== undefined;

it.for(jobs.filter(isInstalled).map((one) => [one.title, one] as const))(
  'has the effect of its action: %s',
  async ([, one]) => {
    const { action, workflow_job: job } = example.parse(one.payload);
    const { reply, effects } = await receive(one);
    expect(reply).toEqual({ status: 200, message: 'changed' });
    expect(effects).toMatchObject([{ kind: kinds[action], job: { id: job?.id, pool: 'pool' } }]);
  },
);

it.for(jobs.filter((one) => !isInstalled(one)).map((one) => [one.title, one] as const))(
  'is accepted and ignored, since it names no installation: %s',
  async ([, one]) => {
    const { reply, effects } = await receive(one);
    expect(reply).toEqual({ status: 200, message: expect.stringMatching(/^ignored: a required field/) });
    expect(effects).toEqual([]);
  },
);

const states: Readonly<Record<string, string>> = {
  created: 'active',
  unsuspend: 'active',
  new_permissions_accepted: 'active',
  suspend: 'suspended',
  deleted: 'removed',
};

it.for(all.filter(({ event }) => event === 'installation').map((one) => [one.title, one] as const))(
  'changes the stored installation: %s',
  async ([, one]) => {
    const { action, installation } = example.parse(one.payload);
    const { reply, effects } = await receive(one);
    expect(reply).toEqual({ status: 200, message: 'changed' });
    const reported = { id: installation?.id, state: states[action] };
    expect(effects).toMatchObject([{ kind: 'install', installation: reported }]);
  },
);
