/** Labels of the webhook counter: senders must not be able to create series. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { Secret } from '../../platform/secret.ts';
import { MemoryStore } from '../store/model/memory-store.ts';
import { WebhookReceiver } from './receiver.ts';

const secret = 'the secret';

interface Given {
  readonly store?: MemoryStore;
  readonly allowedAccounts?: readonly string[];
}

async function countedFor(
  event: string,
  payload: object,
  { store = new MemoryStore(), allowedAccounts = [] }: Given = {},
): Promise<readonly unknown[]> {
  const counted: unknown[] = [];
  const ingress = new WebhookReceiver({
    store,
    allowedAccounts,
    say: () => undefined,
    clock: new TestClock(0),
    secrets: () => [new Secret(secret)],
    pools: () => [],
    counted: (action, outcome) => void counted.push([action, outcome]),
  });
  const body = Buffer.from(JSON.stringify(payload));
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  await ingress.receive({ signature, guid: signature.slice(-36), event, body });
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

describe('an account that installs the App', () => {
  const installed = (action: string, id = 5) => ({
    action,
    installation: { id, account: { id: 7, login: 'Octo-Org' } },
  });

  it.for([
    [[], false],
    [['other', 'octo', 'octo-org-2', 'id:70', 'id:5'], false],
    [['octo-org'], true],
    [['other', 'OCTO-ORG'], true],
    [['id:7'], true],
    [['*'], true],
  ] as const)('is accepted by the list %j: %s', async ([allowedAccounts, isAccepted]) => {
    const store = new MemoryStore();
    const outcome = isAccepted ? 'changed' : 'account_not_allowed';
    expect(await countedFor('installation', installed('created'), { store, allowedAccounts })).toEqual([
      ['created', outcome],
    ]);
    expect(await store.accounts()).toHaveLength(isAccepted ? 1 : 0);
    expect(await store.installations()).toHaveLength(isAccepted ? 1 : 0);
  });

  it('leaves nothing in the store if not allowed, however many webhooks arrive', async () => {
    const store = new MemoryStore();
    for (const action of ['created', 'suspend', 'unsuspend', 'new_permissions_accepted', 'deleted'])
      await countedFor('installation', installed(action), { store });
    expect([await store.accounts(), await store.installations()]).toEqual([[], []]);
  });

  it('stays once it is known, with later changes, and after a new installation of the App', async () => {
    const store = new MemoryStore();
    const account = { id: '7', login: 'octo-org' };
    const installation = { id: '5', accountId: '7', state: 'active' } as const;
    await store.apply({ kind: 'install', account, installation });
    await countedFor('installation', installed('deleted'), { store });
    expect(await store.installations()).toEqual([{ ...installation, state: 'removed' }]);
    await countedFor('installation', installed('created', 6), { store });
    expect(await store.installation('6')).toEqual({ ...installation, id: '6' });
  });
});
