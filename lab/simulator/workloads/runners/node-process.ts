/** A Node as a process of a world: its kubelet, and the guests that die with it. */
import { KubeClient } from '../../../../src/kube/client/client.ts';
import { RateLimit } from '../../../../src/platform/rate-limit.ts';
import type { FrontDoor } from '../../world/dispatch/load-balancer.ts';
import type { GitHubSite } from '../../../clouds/github/site.ts';
import { Kubelet } from '../../../clouds/kubelet/kubelet.ts';
import type { NodeShape } from '../../../clouds/kubelet/node-record.ts';
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
          fieldManager: 'kubelet',
        });
        const ports = { ...given, calls: world.calls, caller };
        const guests = (pod: ConstructorParameters<typeof ModelGuest>[0]): ModelGuest =>
          new ModelGuest(pod, ports);
        const kubelet = new Kubelet({ client, clock, random, node, guests, log, heartbeatMs });
        kubelet.start();
        return kubelet;
      },
    ],
  });
}
