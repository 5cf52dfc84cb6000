/** Steps of people in a story of runners, in the language of scripts. */
import { durationMs } from '../../faults/script.ts';
import { actAmong } from '../grammar.ts';
import type { Line } from '../story.ts';
import { dispatchActs } from './dispatch-steps.ts';
import { gitHubActs } from './github-steps.ts';
import type { RunnersAct } from './step.ts';
import type { RunnersContext } from './context.ts';

const peoplesActs: readonly RunnersAct[] = [
  [/^scale (\S+) to (\d+)$/, ({ admin }, [pool = '', count]) => admin.scale(pool, Number(count))],
  [
    /^delete Pod (of \S+|\S+)( by force)?$/,
    (context, [words = '', force]) => {
      const { uid, name } = context.livingPod(words);
      context.parts.truth.takenByPerson(uid);
      context.admin.deletePod(name, force === undefined ? undefined : 0);
    },
  ],
  [
    /^put another Pod in the place of (of \S+|\S+), under its name$/,
    (context, [words = '']) => {
      const { uid, name } = context.livingPod(words);
      context.parts.truth.takenByPerson(uid);
      context.admin.replacePod(name);
    },
  ],
  [/^roll (\S+) to (\S+)$/, ({ admin }, [pool = '', image = '']) => admin.setImage(pool, image)],
  [
    /^limit (\S+) to (\d+) cores$/,
    (context, [login = '', cores]) => {
      const { tables } = context.parts;
      const accountId = context.installation(login).account.id;
      tables.setLimit({ accountId, platform: 'linux', vcpus: Number(cores), memoryGb: 1000 });
    },
  ],
  [/^(cordon|uncordon) (\S+)$/, ({ admin }, [how, node = '']) => admin.cordon(node, how === 'cordon')],
];

const processActs: readonly RunnersAct[] = [
  [
    /^crash (\S+) for (\S+)$/,
    (context, [name = '', time = '']) => {
      for (const process of named(context, name)) context.process(process).crash(durationMs(time));
    },
  ],
  [
    /^stop (\S+) for (\S+)$/,
    (context, [name = '', time = '']) => {
      for (const process of named(context, name)) context.process(process).stop(graceMs, durationMs(time));
    },
  ],
  [
    /^cut (\S+) off from (kube|kube-watch|database|github) for (\S+)$/,
    (context, [name = '', service = '', time = '']) => {
      const { world } = context.parts;
      for (const process of named(context, name)) {
        const link = world.links.between(process, service);
        link.clog(true);
        world.schedule.direct(durationMs(time), 'heals', () => void link.heal());
      }
    },
  ],
];

/** The default grace period of Kubernetes. */
const graceMs = 30_000;

/** `dispatch` means all of its replicas. */
function named({ parts }: RunnersContext, name: string): readonly string[] {
  return name === 'dispatch' ? parts.setting.dispatches : [name];
}

const acts: readonly RunnersAct[] = [...peoplesActs, ...processActs, ...gitHubActs, ...dispatchActs];

export function actIn(line: Line): ((context: RunnersContext) => void) | undefined {
  return actAmong(acts, line);
}
