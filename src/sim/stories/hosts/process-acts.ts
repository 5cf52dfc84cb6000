/** What happens to processes in a story: they die, stand still, are cut off, and come back. */
import type { SimProcess } from '../../process.ts';
import { durationMs } from '../../script.ts';
import type { Act } from './act.ts';
import type { Scene } from './scene.ts';

const who = '(the leader|the other manager|manager-a|manager-b|core)';

export const processActs: readonly Act[] = [
  [
    new RegExp(`^crash ${who}(?: for (\\S+))?$`),
    (scene, [name = '', time]) => {
      const process = scene.process(name);
      tell(scene, process, 'crashes');
      process.crash(time === undefined ? undefined : durationMs(time));
    },
  ],
  [
    new RegExp(`^start ${who}$`),
    (scene, [name = '']) => {
      const process = scene.process(name);
      if (process.start()) tell(scene, process, 'is started');
    },
  ],
  [
    new RegExp(`^${who} stands still for (\\S+)$`),
    (scene, [name = '', time = '']) => {
      const process = scene.process(name);
      tell(scene, process, 'stands still');
      process.pause();
      scene.parts.world.schedule.direct(durationMs(time), 'goes on', () => {
        tell(scene, process, 'goes on');
        process.resume();
      });
    },
  ],
  [
    new RegExp(`^${who} is cut off from (kube|kube-watch|scaleway) for (\\S+)$`),
    (scene, [name = '', service = '', time = '']) => {
      const { world } = scene.parts;
      const process = scene.process(name);
      const link = world.links.between(process.name, service);
      tell(scene, process, `is cut off from ${service}`);
      link.clog(true);
      world.schedule.direct(durationMs(time), 'heals', () => {
        tell(scene, process, `reaches ${service} again`);
        link.heal();
      });
    },
  ],
];

function tell({ parts: { chronicle } }: Scene, { name }: SimProcess, what: string): void {
  chronicle.tell(name, what);
}
