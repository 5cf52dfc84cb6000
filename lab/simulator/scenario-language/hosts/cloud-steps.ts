/** Steps at the provider: actions of people in the console, and outages. */
import type { ApiOperation } from '../../../../src/hosts/provider/scaleway/api-request.ts';
import { perform } from '../../../clouds/scaleway/perform-action.ts';
import type { CloudAct } from '../../../clouds/scaleway/operator-action.ts';
import type { Act } from './step.ts';
import type { StoryContext } from './context.ts';

const operations: Readonly<Record<string, ApiOperation>> = {
  wipes: 'reinstall server',
  renames: 'update server',
  deletions: 'delete server',
};

export const cloudActs: readonly Act[] = [
  [
    /^rename (\S+) to (\S+)$/,
    (context, [host = '', name = '']) => doIn(context, { act: 'rename', server: context.idOf(host), name }),
  ],
  [
    /^schedule the end of (\S+)$/,
    (context, [host = '']) => {
      const mac = context.mac(host);
      if (mac !== undefined) context.parts.cloud.change(mac, () => void (mac.deletionScheduled = true));
    },
  ],
  [/^remove (\S+)$/, (context, [host = '']) => doIn(context, { act: 'remove', server: context.idOf(host) })],
  [/^zone (\S+) goes down$/, (context, [zone = '']) => doIn(context, { act: 'zone', zone, isDown: true })],
  [/^zone (\S+) is up again$/, (context, [zone = '']) => doIn(context, { act: 'zone', zone, isDown: false })],
  [
    /^the provider (denies|allows) listings$/,
    (context, [how]) => doIn(context, { act: 'deny', operation: 'list servers', isDenied: how === 'denies' }),
  ],
  [/^retire (macos-\S+)$/, (context, [name = '']) => doIn(context, { act: 'retire os', name })],
  [
    /^publish (\S+) (\S+)$/,
    (context, [family = '', version = '']) =>
      doIn(context, { act: 'publish os', family, version, isBeta: false }),
  ],
  [
    /^a person leaves files on (\S+)$/,
    (context, [host = '']) => doIn(context, { act: 'leave', server: context.idOf(host), what: 'files' }),
  ],
  [
    /^the provider accepts (wipes|renames|deletions) again$/,
    ({ parts: { service } }, [what = '']) => service.accept(operations[what] ?? 'get server'),
  ],
  [
    /^the next (\d+) (wipes|renames|deletions) of (\S+) are answered (\d+)$/,
    (context, [times, what = '', host = '', status]) =>
      void context.parts.service.failing.push({
        what: operations[what] ?? 'get server',
        id: context.idOf(host),
        status: Number(status),
        left: Number(times),
      }),
  ],
];

function doIn({ parts: { cloud, world } }: StoryContext, act: CloudAct): void {
  perform(cloud, act, { now: () => world.clock.now() });
}
