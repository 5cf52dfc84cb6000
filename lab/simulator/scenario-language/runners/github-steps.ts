/** Steps at GitHub in a story: jobs, lost webhooks, an App that loses its permissions. */
import type { HookFault } from '../../../clouds/github/hook-faults.ts';
import { durationMs } from '../../faults/script.ts';
import type { RunnersAct } from './step.ts';
import type { RunnersContext } from './context.ts';
import { labelOf } from './world.ts';

const hookFaults: readonly (readonly [RegExp, (time: string) => HookFault])[] = [
  [/^is lost$/, () => ({ kind: 'lost' })],
  [/^is refused$/, () => ({ kind: 'refused' })],
  [/^comes twice$/, () => ({ kind: 'duplicate' })],
  [/^comes (\S+) later$/, (time) => ({ kind: 'late', ms: durationMs(time) })],
];

export const gitHubActs: readonly RunnersAct[] = [
  [
    /^job (\S+) of (\S+)(?: on (\S+))?$/,
    (context, [name = '', login = '', pool]) => order(context, { name, login, pool }),
  ],
  [
    /^(\d+) jobs (\S+) of (\S+)$/,
    (context, [count, name = '', login = '']) => {
      for (let number = 1; number <= Number(count); number += 1)
        order(context, { name: `${name}-${number}`, login });
    },
  ],
  [/^cancel job (\S+)$/, (context, [name = '']) => context.parts.site.cancel(context.job(name))],
  [
    /^the next (queued|in_progress|completed) webhook (.+)$/,
    ({ parts: { site } }, [action = '', what = '']) => {
      const found = hookFaults.find(([pattern]) => pattern.test(what));
      if (found === undefined) throw new Error(`no webhook ${what}`);
      const fault = found[1](found[0].exec(what)?.[1] ?? '');
      site.hookFaults.order({ event: 'workflow_job', action, times: 1, fault });
    },
  ],
  [
    /^GitHub sends the (queued|completed) webhooks? again$/,
    ({ parts: { site } }, [action]) => {
      for (const attempt of site.hooks.log.filter((one) => one.action === action))
        site.hooks.redeliver(attempt.id);
    },
  ],
  [
    /^GitHub gives the next runner job (\S+)$/,
    (context, [name = '']) => {
      const { site } = context.parts;
      const wanted = context.job(name);
      site.hall.prefer(wanted);
    },
  ],
  [
    /^uninstall the App of (\S+)$/,
    (context, [login = '']) => context.parts.site.setInstallation(context.installation(login), 'removed'),
  ],
  [
    /^the App of (\S+) may register no runners$/,
    (context, [login = '']) => context.parts.site.setRunnerPermission(context.installation(login), false),
  ],
  [
    /^GitHub registers no runner for (\S+)$/,
    ({ parts: { github, world } }, [time = '']) => {
      github.failsToRegister = true;
      world.schedule.direct(durationMs(time), 'GitHub is well', () => {
        github.failsToRegister = false;
      });
    },
  ],
];

interface JobOrder {
  readonly name: string;
  readonly login: string;
  readonly pool?: string | undefined;
}

function order(context: RunnersContext, { name, login, pool }: JobOrder): void {
  const { site, setting } = context.parts;
  const repository = site.directory.repository(`${login}/app`);
  if (repository === undefined) throw new Error(`there is no account ${login}`);
  const on = pool ?? setting.pools[0]?.name ?? '';
  context.addJob(name, site.board.order({ repository, labels: ['self-hosted', labelOf(on)], name }));
}
