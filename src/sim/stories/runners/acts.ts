/** What is done in a story of runners, in the words of scripts. */
import { durationMs } from '../../script.ts';
import { actAmong } from '../sayings.ts';
import type { Line } from '../story.ts';
import { dispatchActs } from './dispatch-acts.ts';
import { gitHubActs } from './github-acts.ts';
import type { RunnersAct } from './runners-act.ts';
import type { RunnersScene } from './scene.ts';

const peoplesActs: readonly RunnersAct[] = [
  [/^scale (\S+) to (\d+)$/, ({ desk }, [pool = '', count]) => desk.scale(pool, Number(count))],
  [
    /^delete Pod (of \S+|\S+)( by force)?$/,
    (scene, [words = '', force]) => {
      const { uid, name } = scene.livingPod(words);
      scene.parts.truth.takenByPerson(uid);
      scene.desk.deletePod(name, force === undefined ? undefined : 0);
    },
  ],
  [
    /^put another Pod in the place of (of \S+|\S+), under its name$/,
    (scene, [words = '']) => {
      const { uid, name } = scene.livingPod(words);
      scene.parts.truth.takenByPerson(uid);
      scene.desk.replacePod(name);
    },
  ],
  [/^roll (\S+) to (\S+)$/, ({ desk }, [pool = '', image = '']) => desk.setImage(pool, image)],
  [
    /^limit (\S+) to (\d+) cores$/,
    (scene, [login = '', cores]) => {
      const { tables } = scene.parts;
      const accountId = scene.installation(login).account.id;
      tables.setLimit({ accountId, platform: 'linux', vcpus: Number(cores), memoryGb: 1000 });
    },
  ],
  [/^(cordon|uncordon) (\S+)$/, ({ desk }, [how, node = '']) => desk.cordon(node, how === 'cordon')],
];

const processActs: readonly RunnersAct[] = [
  [
    /^crash (\S+) for (\S+)$/,
    (scene, [name = '', time = '']) => {
      for (const process of named(scene, name)) scene.process(process).crash(durationMs(time));
    },
  ],
  [
    /^stop (\S+) for (\S+)$/,
    (scene, [name = '', time = '']) => {
      for (const process of named(scene, name)) scene.process(process).stop(graceMs, durationMs(time));
    },
  ],
  [
    /^cut (\S+) off from (kube|kube-watch|database|github) for (\S+)$/,
    (scene, [name = '', service = '', time = '']) => {
      const { world } = scene.parts;
      for (const process of named(scene, name)) {
        const link = world.links.between(process, service);
        link.clog(true);
        world.schedule.direct(durationMs(time), 'heals', () => void link.heal());
      }
    },
  ],
];

/** As long as Kubernetes gives a process that it stops. */
const graceMs = 30_000;

/** `dispatch` means all of its replicas. */
function named({ parts }: RunnersScene, name: string): readonly string[] {
  return name === 'dispatch' ? parts.setting.dispatches : [name];
}

const acts: readonly RunnersAct[] = [...peoplesActs, ...processActs, ...gitHubActs, ...dispatchActs];

export function actIn(line: Line): ((scene: RunnersScene) => void) | undefined {
  return actAmong(acts, line);
}
