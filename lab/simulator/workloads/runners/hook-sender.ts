/** Delivers webhooks of the simulated GitHub in a world: as calls of a separate process. */
import type { FrontDoor } from '../../world/dispatch/load-balancer.ts';
import type { HookPost } from '../../../clouds/github/hooks.ts';
import type { ProcessInstance } from '../../engine/process-instance.ts';
import type { World } from '../../world/world.ts';

/** GitHub's timeout for a webhook. */
const deadlineMs = 10_000;

export function hookSender(world: World, door: FrontDoor): (hook: HookPost) => Promise<number> {
  let sender: ProcessInstance | undefined;
  world.addProcess({
    name: 'github-hooks',
    versions: [
      ({ incarnation }) => {
        sender = incarnation;
        return {};
      },
    ],
  });
  return async (hook) => {
    if (sender === undefined || sender.isDead) throw new Error('no webhook sender is running');
    const request = { what: 'webhook', hook } as const;
    const end = await world.calls.call(door, { caller: sender, request, deadlineMs });
    if ('broken' in end) throw new Error(`the webhook was not answered: ${end.broken}`);
    return end.answer.status;
  };
}
