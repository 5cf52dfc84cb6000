/** A Node as a process of a world: its agent, and the containers that die with it. */
import { KubeClient } from '../../../../src/kube/client/client.ts';
import { RateLimit } from '../../../../src/platform/rate-limit.ts';
import type { FrontDoor } from '../../world/dispatch/load-balancer.ts';
import type { GitHubSite } from '../../../clouds/github/site.ts';
import { Agent } from '../../../../src/agent/agent.ts';
import type { NodeShape } from '../../../../src/agent/node/node-object.ts';
import { RuntimeTransport } from '../../world/kube-transport.ts';
import type { World } from '../../world/world.ts';
import { ModelGuest, type GuestScript, type PollTimes } from './guest-model.ts';
import type { RunnerTruth } from './runner-truth.ts';

export interface NodeProcess {
  readonly node: NodeShape;
  readonly door: FrontDoor;
  readonly site: GitHubSite;
  readonly truth: RunnerTruth;
  readonly pollTimes: PollTimes;
  readonly script: () => GuestScript;
}

const perSecond = 50;
/** No controller in a world evicts a silent Node, so rare heartbeats are enough. */
const heartbeatMs = 600_000;
/** Longer than a run: a world comes to rest only without periodic writes. */
const statusMs = 1000 * 3_600_000;

export function addNode(world: World, { node, ...given }: NodeProcess): void {
  world.addProcess({
    name: node.name,
    versions: [
      (env) => {
        const { incarnation: caller, clock, random, log } = env;
        const client = new KubeClient({
          transport: new RuntimeTransport(world.kube.transport(caller)),
          clock,
          limit: new RateLimit(clock, { perSecond, burst: perSecond }),
          fieldManager: 'agent',
        });
        const ports = { ...given, calls: world.calls, caller };
        const driver = (pod: ConstructorParameters<typeof ModelGuest>[0]): ModelGuest =>
          new ModelGuest(pod, ports);
        const agent = new Agent({ client, clock, random, node, driver, log, heartbeatMs, statusMs });
        agent.start();
        return agent;
      },
    ],
  });
}
