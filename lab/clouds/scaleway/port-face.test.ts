import { drain } from '../../harness/drain.ts';
import { anyProviderCases } from '../../contracts/provider/any-provider.ts';
import { rentedProviderCases } from '../../contracts/provider/rented-provider.ts';
import { runContract } from '../../contracts/provider/run-contract.ts';
import type { RentedFixture } from '../../contracts/provider/harness.ts';
import type { Provider } from '../../../src/hosts/provider/port.ts';
import type { EffectFault } from '../../simulator/faults/effect-fault.ts';
import { World } from '../../simulator/world/world.ts';
import { CloudService } from './service.ts';
import { contractCloud, meddlerOf, pageSize, project } from './contract/contract-cloud.ts';
import { worldProvider } from './world-provider.ts';

async function open(): Promise<RentedFixture> {
  const world = new World({ seed: 1, drain });
  const { cloud, ...facts } = contractCloud({ clock: world.clock, random: (name) => world.random(name) });
  const coming: EffectFault[] = [];
  world.useFaults({ decide: () => coming.splice(0) });
  const faults = { next: (fault: EffectFault) => void coming.push(fault) };
  const service = new CloudService(cloud);
  let provider: Provider | undefined;
  world.addProcess({
    name: 'manager',
    versions: [
      ({ incarnation: caller }) => {
        provider = worldProvider({ service, calls: world.calls, caller, projectId: project, pageSize });
        return {};
      },
    ],
  });
  await world.schedule.runUntil(world.schedule.now);
  return {
    ...facts,
    meddler: meddlerOf(cloud, world.clock, faults),
    does: async (call) => {
      if (provider === undefined) throw new Error('the process did not start');
      const over = { yet: false };
      const ended = Promise.allSettled([call(provider)]).finally(() => (over.yet = true));
      await drain();
      while (!over.yet) await world.schedule.runUntil(world.schedule.now + 100);
      const [end] = await ended;
      if (end.status === 'rejected') throw end.reason;
      return end.value;
    },
    pass: async (ms) => void (await world.schedule.runUntil(world.schedule.now + ms)),
    close: async () => undefined,
  };
}

runContract('the simulated cloud in a world, the rules of every provider', anyProviderCases, open);
runContract('the simulated cloud in a world, the rules of rented providers', rentedProviderCases, open);
