import { drain } from '../../harness/drain.ts';
import { lookingCases } from '../../contracts/github/looking.ts';
import { registeringCases } from '../../contracts/github/registering.ts';
import { runContract } from '../../contracts/github/run-contract.ts';
import type { Fixture } from '../../contracts/github/harness.ts';
import type { GitHub } from '../../../src/dispatch/github/port.ts';
import type { EffectFault } from '../../simulator/faults/effect-fault.ts';
import { World } from '../../simulator/world/world.ts';
import { contractSite, meddlerOf } from './contract/contract-site.ts';
import { GitHubService } from './service.ts';
import { worldGitHub } from './world-github.ts';

/** Every call advances the world until the call has ended. */
function driven(github: GitHub, world: World): GitHub {
  const drive = async <T>(call: Promise<T>): Promise<T> => {
    const over = { yet: false };
    const ended = Promise.allSettled([call]).finally(() => (over.yet = true));
    await drain();
    while (!over.yet) await world.schedule.runUntil(world.schedule.now + 10);
    await ended;
    return call;
  };
  return {
    register: (...given) => drive(github.register(...given)),
    job: (tenant, id) => drive(github.job(tenant, id)),
    queuedJobs: (...given) => drive(github.queuedJobs(...given)),
    runners: (tenant) => drive(github.runners(tenant)),
    runnerNamed: (tenant, name) => drive(github.runnerNamed(tenant, name)),
    runnersOf: (id) => drive(github.runnersOf(id)),
    removeRunner: (tenant, runner) => drive(github.removeRunner(tenant, runner)),
    installation: (id) => drive(github.installation(id)),
    deliveries: (look) => drive(github.deliveries(look)),
    redeliver: (id) => drive(github.redeliver(id)),
  };
}

async function open(): Promise<Fixture> {
  const world = new World({ seed: 1, drain });
  let receiver = 200;
  const { site, account, ...tenants } = contractSite(world.clock, async () => receiver);
  const coming: { fault: EffectFault; on: string | undefined }[] = [];
  let asked = 0;
  world.useFaults({
    decide: ({ operation }) => {
      asked += 1;
      const [next] = coming;
      if (next === undefined || (next.on ?? operation) !== operation) return [];
      return coming.splice(0).map(({ fault }) => fault);
    },
  });
  const service = new GitHubService(site);
  let github: GitHub | undefined;
  world.addProcess({
    name: 'dispatch',
    versions: [
      ({ incarnation: caller }) => {
        github = worldGitHub({ service, calls: world.calls, caller });
        return {};
      },
    ],
  });
  await world.schedule.runUntil(world.schedule.now);
  if (github === undefined) throw new Error('the process did not start');
  return {
    ...tenants,
    ...meddlerOf(site),
    github: driven(github, world),
    accountId: account.id,
    now: () => world.schedule.now,
    pass: async (ms) => void (await world.schedule.runUntil(world.schedule.now + ms)),
    next: ({ kind }, on) => {
      if (kind !== 'reply-lost') throw new Error(`no case in a world needs ${kind}`);
      coming.push({ fault: { kind, silent: false }, on });
    },
    requests: () => asked,
    requestWaiting: () => drain(),
    setReceiver: (status) => void (receiver = status),
    close: async () => site.close(),
  };
}

runContract('registering in a world', registeringCases, open);
runContract('looking in a world', lookingCases, open);
