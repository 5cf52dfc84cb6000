/** Steps on processes: they crash, pause, lose a link, and start again. */
import type { SimProcess } from '../../engine/process.ts';
import { durationMs } from '../../faults/script.ts';
import type { Act } from './step.ts';
import type { StoryContext } from './context.ts';

const who = '(the leader|the other manager|manager-a|manager-b|core)';

export const processActs: readonly Act[] = [
  [
    new RegExp(`^crash ${who}(?: for (\\S+))?$`),
    (context, [name = '', time]) => {
      const process = context.process(name);
      report(context, process, 'crashes');
      process.crash(time === undefined ? undefined : durationMs(time));
    },
  ],
  [
    new RegExp(`^start ${who}$`),
    (context, [name = '']) => {
      const process = context.process(name);
      if (process.start()) report(context, process, 'is started');
    },
  ],
  [
    new RegExp(`^${who} stands still for (\\S+)$`),
    (context, [name = '', time = '']) => {
      const process = context.process(name);
      report(context, process, 'stands still');
      process.pause();
      context.parts.world.schedule.direct(durationMs(time), 'goes on', () => {
        report(context, process, 'goes on');
        process.resume();
      });
    },
  ],
  [
    new RegExp(`^${who} is cut off from (kube|kube-watch|scaleway) for (\\S+)$`),
    (context, [name = '', service = '', time = '']) => {
      const { world } = context.parts;
      const process = context.process(name);
      const link = world.links.between(process.name, service);
      report(context, process, `is cut off from ${service}`);
      link.clog(true);
      world.schedule.direct(durationMs(time), 'heals', () => {
        report(context, process, `reaches ${service} again`);
        link.heal();
      });
    },
  ],
];

function report({ parts: { chronicle } }: StoryContext, { name }: SimProcess, what: string): void {
  chronicle.report(name, what);
}
