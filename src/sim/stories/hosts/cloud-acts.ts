/** What happens at the provider in a story: what people do in its console, and its bad days. */
import type { ApiOperation } from '../../../provider/scaleway/api-request.ts';
import { perform } from '../../scaleway/perform.ts';
import type { CloudAct } from '../../scaleway/act.ts';
import type { Act } from './act.ts';
import type { Scene } from './scene.ts';

const operations: Readonly<Record<string, ApiOperation>> = {
  wipes: 'reinstall server',
  renames: 'update server',
  deletions: 'delete server',
};

export const cloudActs: readonly Act[] = [
  [
    /^rename (\S+) to (\S+)$/,
    (scene, [host = '', name = '']) => doIn(scene, { act: 'rename', server: scene.idOf(host), name }),
  ],
  [
    /^schedule the end of (\S+)$/,
    (scene, [host = '']) => {
      const mac = scene.mac(host);
      if (mac !== undefined) scene.parts.cloud.change(mac, () => void (mac.deletionScheduled = true));
    },
  ],
  [/^remove (\S+)$/, (scene, [host = '']) => doIn(scene, { act: 'remove', server: scene.idOf(host) })],
  [/^zone (\S+) goes down$/, (scene, [zone = '']) => doIn(scene, { act: 'zone', zone, isDown: true })],
  [/^zone (\S+) is up again$/, (scene, [zone = '']) => doIn(scene, { act: 'zone', zone, isDown: false })],
  [
    /^the provider (denies|allows) listings$/,
    (scene, [how]) => doIn(scene, { act: 'deny', operation: 'list servers', isDenied: how === 'denies' }),
  ],
  [/^retire (macos-\S+)$/, (scene, [name = '']) => doIn(scene, { act: 'retire os', name })],
  [
    /^publish (\S+) (\S+)$/,
    (scene, [family = '', version = '']) =>
      doIn(scene, { act: 'publish os', family, version, isBeta: false }),
  ],
  [
    /^somebody leaves files on (\S+)$/,
    (scene, [host = '']) => doIn(scene, { act: 'leave', server: scene.idOf(host), what: 'files' }),
  ],
  [
    /^the provider accepts (wipes|renames|deletions) again$/,
    ({ parts: { service } }, [what = '']) => service.accept(operations[what] ?? 'get server'),
  ],
  [
    /^the next (\d+) (wipes|renames|deletions) of (\S+) are answered (\d+)$/,
    (scene, [times, what = '', host = '', status]) =>
      void scene.parts.service.failing.push({
        what: operations[what] ?? 'get server',
        id: scene.idOf(host),
        status: Number(status),
        left: Number(times),
      }),
  ],
];

function doIn({ parts: { cloud, world } }: Scene, act: CloudAct): void {
  perform(cloud, act, { now: () => world.clock.now() });
}
