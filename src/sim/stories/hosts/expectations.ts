/** What may be expected in a story. Each answers with what is there instead, or with nothing when it is so. */
import { deploymentPath } from '../../scenarios/machines/scenery.ts';
import { fieldOf, tellingCondition, textOf } from './object-facts.ts';
import { paths, type Scene } from './scene.ts';
import { different, expectationAmong, type Saying } from '../sayings.ts';
import type { Line } from '../story.ts';

const expectations: readonly Saying<Scene, string | undefined>[] = [
  [
    /^host (\S+) is ([A-Z]\w+)(?:, (\w+))?$/,
    (scene, [host = '', state, reason]) => {
      const object = scene.macHost(host);
      const [is, why] = [textOf(object, 'status', 'state'), textOf(object, 'status', 'reason')];
      return is === state && (reason === undefined || reason === why) ? undefined : `it is ${is}, ${why}`;
    },
  ],
  [
    /^host (\S+) is claimed by (\S+)$/,
    (scene, [host = '', name]) => {
      const is = textOf(scene.macHost(host), 'spec', 'claim', 'name') || 'nobody';
      return different(is, name);
    },
  ],
  [
    /^host (\S+) has no object$/,
    (scene, [host = '']) => (scene.macHost(host) === undefined ? undefined : 'it has one'),
  ],
  [
    /^server (\S+) is called (\S+)$/,
    (scene, [host = '', name = '']) => {
      const wanted = [...scene.parts.ids].reduce((text, [alias, id]) => text.replace(alias, id), name);
      const is = scene.mac(host)?.name ?? '';
      return is === wanted || is === name ? undefined : `it is called ${is}`;
    },
  ],
  [
    /^server (\S+) is gone$/,
    (scene, [host = '']) => (scene.mac(host) === undefined ? undefined : 'it is there'),
  ],
  [
    /^server (\S+) is there$/,
    (scene, [host = '']) => (scene.mac(host) === undefined ? 'it is gone' : undefined),
  ],
  [
    /^server (\S+) was wiped (\d+) times?$/,
    (scene, [host = '', times]) => different(String(scene.mac(host)?.wipes), times),
  ],
  [
    /^server (\S+) has (macos-\S+)$/,
    (scene, [host = '', image]) => different(scene.mac(host)?.image.name ?? 'nothing', image),
  ],
  [
    /^machine (\S+) has (no host|\S+)$/,
    (scene, [name = '', host = '']) => {
      const id = textOf(scene.machine(name), 'status', 'serverID') || 'no host';
      const known = [...scene.parts.ids].find(([, one]) => one === id)?.[0] ?? id;
      return different(known, host);
    },
  ],
  [
    /^machine (\S+) is gone$/,
    (scene, [name = '']) => (scene.machine(name) === undefined ? undefined : 'it is there'),
  ],
  [
    /^machine (\S+) says (\w+)$/,
    (scene, [name = '', reason]) =>
      different(textOf(tellingCondition(scene.machine(name)), 'reason'), reason),
  ],
  [
    /^(\d+) machines? (?:have|has) a host$/,
    ({ parts: { api } }, [count]) => {
      const all = api.list(paths.machines);
      const served = all.filter(
        (one) =>
          textOf(one, 'status', 'serverID') !== '' &&
          fieldOf(one, 'metadata', 'deletionTimestamp') === undefined,
      );
      return served.length === Number(count)
        ? undefined
        : `there are ${all.length}, of which ${served.length} have one`;
    },
  ],
  [
    /^(\d+) Machines? of the MachineDeployment (?:are|is) available$/,
    ({ parts: { api } }, [count]) =>
      different(JSON.stringify(fieldOf(api.find(deploymentPath), 'status', 'availableReplicas') ?? 0), count),
  ],
  [
    /^gauge (.+) is (\d+)$/,
    ({ parts: { gauges }, leader }, [gauge = '', value]) =>
      different(String(gauges.read(leader, gauge)), value),
  ],
  [
    /^"(.+)" was told (\d+) times?$/,
    ({ parts: { chronicle } }, [text = '', times]) => different(String(chronicle.count(text)), times),
  ],
];

export function expectationIn(line: Line): ((scene: Scene) => string | undefined) | undefined {
  return expectationAmong(expectations, line);
}
