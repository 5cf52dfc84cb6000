/** What is counted of a webhook: a sender chooses its words, and must not choose how many series there are. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { TestClock } from '../../../test/test-clock.ts';
import { Secret } from '../../runtime/secret.ts';
import { MemoryStore } from '../store/contract/model/memory-store.ts';
import { Ingress } from './ingress.ts';

const secret = 'the secret';

async function countedFor(event: string, payload: object): Promise<readonly unknown[]> {
  const counted: unknown[] = [];
  const ingress = new Ingress({
    store: new MemoryStore(),
    clock: new TestClock(0),
    secrets: () => [new Secret(secret)],
    pools: () => [],
    counted: (action, outcome) => void counted.push([action, outcome]),
  });
  const body = Buffer.from(JSON.stringify(payload));
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  await ingress.receive({ signature, guid: 'guid', event, body });
  return counted;
}

it.for([
  ['workflow_job', 'queued', 'queued'],
  ['workflow_job', 'made-up', 'other'],
  ['installation', 'deleted', 'deleted'],
  ['installation', 'made-up', 'other'],
  ['made-up', 'queued', 'other'],
] as const)(
  'of the event %s with the action %s the action %s is counted',
  async ([event, action, counted]) => {
    expect(await countedFor(event, { action })).toEqual([[counted, expect.any(String)]]);
  },
);
