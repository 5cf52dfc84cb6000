import { TestClock } from '../../harness/test-clock.ts';
import { wallClock } from '../../harness/wall-clock.ts';
import { anyProviderCases } from '../../contracts/provider/any-provider.ts';
import { rentedProviderCases } from '../../contracts/provider/rented-provider.ts';
import { runContract } from '../../contracts/provider/run-contract.ts';
import type { RentedFixture } from '../../contracts/provider/harness.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { ScalewayProvider } from '../../../src/hosts/provider/scaleway/scaleway-provider.ts';
import { SdkTransport } from '../../../src/hosts/provider/scaleway/sdk-transport.ts';
import { RandomStreams } from '../../simulator/engine/random-streams.ts';
import { contractCloud, meddlerOf, pageSize, project } from './contract/contract-cloud.ts';
import { serveCloud } from './http-server.ts';

const secretKey = '99999999-8888-4777-8666-555555555555';

/** Sockets run in real time; the cloud, and the waits of the provider, in time that the test moves. */
async function open(): Promise<RentedFixture> {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const streams = new RandomStreams(1);
  const { cloud, ...facts } = contractCloud({ clock, random: (name) => streams.stream(name) });
  const onFailure = (error: unknown): never => {
    throw error;
  };
  const face = await serveCloud({ cloud, clock, secretKey, host: '127.0.0.1', port: 0, onFailure });
  const credentials = {
    accessKey: 'SCWXXXXXXXXXXXXXXXXX',
    secretKey: new Secret(secretKey),
    projectId: project,
    apiUrl: face.url,
  };
  const provider = new ScalewayProvider({
    transport: new SdkTransport({ credentials, clock: wallClock, userAgent: 'muster/test' }),
    clock,
    limit: { round: async () => undefined },
    projectId: project,
    pageSize,
  });
  const next = ({ kind }: { readonly kind: string }): void =>
    face.faults.order({
      times: 1,
      fault:
        kind === 'reply-lost'
          ? { kind }
          : { kind: 'error', status: 500, body: { message: 'x' }, headers: {} },
    });
  return {
    ...facts,
    meddler: meddlerOf(cloud, clock, { next }),
    does: (call) => call(provider),
    pass: (ms) => clock.pass(ms),
    close: () => face.close(),
  };
}

runContract('the simulated cloud over HTTP, the rules of every provider', anyProviderCases, open);
runContract('the simulated cloud over HTTP, the rules of rented providers', rentedProviderCases, open);
