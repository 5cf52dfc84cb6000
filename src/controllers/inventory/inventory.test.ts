/** When the last servers of a zone seem to be gone, each of them is asked about before any is taken for gone. */
import { expect, it } from 'vitest';
import { HostStand } from '../../../test/host-stand.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import type { MacHostObject } from '../../fleet/objects.ts';
import type { Provider } from '../../provider/port.ts';
import { Inventory } from './inventory.ts';

const gone = new FleetError('gone', { reason: 'NotFound', message: 'no such server' });
const denied = new FleetError('rejected', { reason: 'PermissionDenied', message: 'not yours' });

async function statusAfter(
  answers: Readonly<Record<string, FleetError | undefined>>,
): Promise<string | undefined> {
  const stand = new HostStand();
  const host = await stand.host({});
  const other: MacHostObject = { ...host, metadata: { ...host.metadata, name: 'other' } };
  const getServer: Provider['getServer'] = ({ id }) => {
    const answer = answers[id === 'other' ? 'other' : 'first'];
    return answer === undefined ? Promise.resolve(stand.server) : Promise.reject(answer);
  };
  const inventory = new Inventory({
    provider: { listServers: () => Promise.resolve([]), getServer },
    client: stand.client,
    hosts: () => [host, other],
    now: stand.now,
    intervalMs: 30_000,
    claimPrefix: '',
    isSpokenFor: () => false,
    listed: () => undefined,
  });
  await inventory.act({ kind: 'miss-all', hosts: [host, other] }).catch((error: unknown) => {
    if (!(error instanceof FleetError)) throw error;
  });
  return (await stand.storedHost()).status?.observed?.status;
}

it('all are gone when the provider says so of each of them', async () =>
  expect(await statusAfter({ first: gone, other: gone })).toBe('gone'));

it.for([
  ['exists', undefined],
  ['cannot be asked about', denied],
] as const)('none is gone when one of them %s', async ([, other]) =>
  expect(await statusAfter({ first: gone, other })).toBe('ready'),
);
