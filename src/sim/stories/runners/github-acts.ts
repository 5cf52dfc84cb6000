/** What happens at GitHub in a story: jobs, webhooks that go astray, an App that may no longer do what it did. */
import type { HookFault } from '../../github/hook-faults.ts';
import { durationMs } from '../../script.ts';
import type { RunnersAct } from './runners-act.ts';
import type { RunnersScene } from './scene.ts';
import { labelOf } from './stage.ts';

const hookFaults: readonly (readonly [RegExp, (time: string) => HookFault])[] = [
  [/^is lost$/, () => ({ kind: 'lost' })],
  [/^is refused$/, () => ({ kind: 'refused' })],
  [/^comes twice$/, () => ({ kind: 'doubled' })],
  [/^comes (\S+) later$/, (time) => ({ kind: 'late', ms: durationMs(time) })],
];

export const gitHubActs: readonly RunnersAct[] = [
  [
    /^job (\S+) of (\S+)(?: on (\S+))?$/,
    (scene, [name = '', login = '', pool]) => order(scene, { name, login, pool }),
  ],
  [
    /^(\d+) jobs (\S+) of (\S+)$/,
    (scene, [count, name = '', login = '']) => {
      for (let number = 1; number <= Number(count); number += 1)
        order(scene, { name: `${name}-${number}`, login });
    },
  ],
  [/^cancel job (\S+)$/, (scene, [name = '']) => scene.parts.site.cancel(scene.job(name))],
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
    (scene, [name = '']) => {
      const { site } = scene.parts;
      const wanted = scene.job(name);
      site.hall.prefer(wanted);
    },
  ],
  [
    /^uninstall the App of (\S+)$/,
    (scene, [login = '']) => scene.parts.site.setInstallation(scene.installation(login), 'removed'),
  ],
  [
    /^the App of (\S+) may register no runners$/,
    (scene, [login = '']) => scene.parts.site.setRunnerPermission(scene.installation(login), false),
  ],
  [
    /^GitHub registers nobody for (\S+)$/,
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

function order(scene: RunnersScene, { name, login, pool }: JobOrder): void {
  const { site, setting } = scene.parts;
  const repository = site.directory.repository(`${login}/app`);
  if (repository === undefined) throw new Error(`there is no account ${login}`);
  const on = pool ?? setting.pools[0]?.name ?? '';
  scene.addJob(name, site.board.order({ repository, labels: ['self-hosted', labelOf(on)], name }));
}
