import { drain } from '../../../test/drain.ts';
import { anyProviderCases } from '../../provider/contract/any-provider.ts';
import { rentedProviderCases } from '../../provider/contract/rented-provider.ts';
import { runContract } from '../../provider/contract/run-contract.ts';
import type { RentedStage } from '../../provider/contract/stage.ts';
import type { Provider } from '../../provider/port.ts';
import type { EffectFault } from '../effect-fault.ts';
import { World } from '../world.ts';
import { CloudService } from './service.ts';
import { contractCloud, meddlerOf, pageSize, project } from './contract/contract-cloud.ts';
import { worldProvider } from './world-provider.ts';

async function open(): Promise<RentedStage> {
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

runContract('the simulated cloud in a world, as any provider', anyProviderCases, open);
runContract('the simulated cloud in a world, as one that rents', rentedProviderCases, open);
