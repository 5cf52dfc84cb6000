/** Kubelets in a simulated world, where they crash and their requests are lost. */
import { expect, it } from 'vitest';
import { askServer } from '../../lab/harness/ask-server.ts';
import { drain } from '../../lab/harness/drain.ts';
import { KubeClient } from '../kube/client/client.ts';
import { RateLimit } from '../platform/rate-limit.ts';
import type { EffectFault } from '../../lab/simulator/faults/effect-fault.ts';
import { RuntimeTransport } from '../../lab/simulator/world/kube-transport.ts';
import { World } from '../../lab/simulator/world/world.ts';
import type { PodSandbox, ContainerEnd } from './drivers/port.ts';
import { Agent } from './agent.ts';

const hourMs = 3_600_000;
const podsPath = '/api/v1/namespaces/default/pods';
const node = { name: 'mac-1', os: 'darwin', fleet: 'macs', cpus: 12, memoryMb: 28_672 } as const;

/** A Mac whose Pods work for half a minute each; `runs` has the uid of each container that was run. */
function begin(world: World, runs: string[]): void {
  world.addProcess({
    name: 'agent',
    versions: [
      ({ clock, random, log, incarnation }) => {
        const transport = new RuntimeTransport(world.kube.transport(incarnation));
        const limit = new RateLimit(clock, { perSecond: 50, burst: 100 });
        const client = new KubeClient({ transport, clock, limit, fieldManager: 'agent' });
        const driver = ({ uid }: { readonly uid: string }): PodSandbox => ({
          run: () => {
            runs.push(uid);
            return new Promise<ContainerEnd>(
              (resolve) => void clock.after(30_000, () => resolve({ exitCode: 0 })),
            );
          },
        });
        const agent = new Agent({ client, clock, random, node, driver, log });
        agent.start();
        return agent;
      },
    ],
  });
}

function makePod(world: World, number: number): void {
  const { server } = world.kube;
  askServer(server, {
    method: 'POST',
    path: podsPath,
    body: {
      metadata: { name: `runner-${number}` },
      spec: {
        restartPolicy: 'Never',
        nodeSelector: { 'tuist.dev/fleet': 'macs' },
        tolerations: [{ key: 'tuist.dev/macos', operator: 'Exists' }],
        containers: [{ name: 'runner', image: 'vm' }],
      },
    },
  });
}

it.each([1, 2, 3, 4, 5])(
  'seed %i: no container runs twice and no Pod is forgotten, however often a agent dies',
  async (seed) => {
    const world = new World({ seed, drain });
    const runs: string[] = [];
    const chance = world.random('test');
    world.useFaults({ decide: ({ isWrite }) => (isWrite ? mishaps(chance.next()) : []) });
    begin(world, runs);
    for (let number = 0; number < 40; number += 1)
      world.clock.after(10_000 + number * 20_000, () => makePod(world, number));
    for (let at = 30_000; at < 900_000; at += 47_000)
      world.clock.after(at, () => void world.processes.get('agent')?.crash(2000));
    await world.schedule.runUntil(world.schedule.now + hourMs);
    expect(world.violation).toBeUndefined();
    expect(new Set(runs).size).toBe(runs.length);
    const phases = world.kube.view(podsPath).objects.map(phaseOf);
    expect(phases).toHaveLength(40);
    expect(new Set(phases)).toEqual(new Set(['Succeeded', 'Failed']));
  },
);

/** One write in ten is not answered, and one in twenty lands long after. */
function mishaps(drawn: number): readonly EffectFault[] {
  if (drawn < 0.1) return [{ kind: 'reply-lost', silent: false }];
  return drawn < 0.15 ? [{ kind: 'late', ms: 20_000 }] : [];
}

function phaseOf(pod: object): unknown {
  const status = 'status' in pod ? pod.status : undefined;
  return typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
}
