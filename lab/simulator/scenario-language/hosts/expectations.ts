/** Expectations of a story. Each returns what is there instead, or undefined when the expectation holds. */
import { deploymentPath } from '../../workloads/hosts/cluster-objects.ts';
import { fieldOf, tellingCondition, textOf } from './object-facts.ts';
import { paths, type StoryContext } from './context.ts';
import { different, expectationAmong, type Phrase } from '../grammar.ts';
import type { Line } from '../story.ts';

const expectations: readonly Phrase<StoryContext, string | undefined>[] = [
  [
    /^host (\S+) is ([A-Z]\w+)(?:, (\w+))?$/,
    (context, [host = '', state, reason]) => {
      const object = context.macHost(host);
      const [is, why] = [textOf(object, 'status', 'state'), textOf(object, 'status', 'reason')];
      return is === state && (reason === undefined || reason === why) ? undefined : `it is ${is}, ${why}`;
    },
  ],
  [
    /^host (\S+) is claimed by (\S+)$/,
    (context, [host = '', name]) => different(claimOf(context, host), name),
  ],
  [/^host (\S+) is unclaimed$/, (context, [host = '']) => different(claimOf(context, host), 'no machine')],
  [
    /^host (\S+) has no object$/,
    (context, [host = '']) => (context.macHost(host) === undefined ? undefined : 'it has one'),
  ],
  [
    /^server (\S+) is called (\S+)$/,
    (context, [host = '', name = '']) => {
      const wanted = [...context.parts.ids].reduce((text, [alias, id]) => text.replace(alias, id), name);
      const is = context.mac(host)?.name ?? '';
      return is === wanted || is === name ? undefined : `it is called ${is}`;
    },
  ],
  [
    /^server (\S+) is gone$/,
    (context, [host = '']) => (context.mac(host) === undefined ? undefined : 'it is there'),
  ],
  [
    /^server (\S+) is there$/,
    (context, [host = '']) => (context.mac(host) === undefined ? 'it is gone' : undefined),
  ],
  [
    /^server (\S+) was wiped (\d+) times?$/,
    (context, [host = '', times]) => different(String(context.mac(host)?.wipes), times),
  ],
  [
    /^server (\S+) has (macos-\S+)$/,
    (context, [host = '', image]) => different(context.mac(host)?.image.name ?? 'nothing', image),
  ],
  [
    /^machine (\S+) has (no host|\S+)$/,
    (context, [name = '', host = '']) => {
      const id = textOf(context.machine(name), 'status', 'serverID') || 'no host';
      const known = [...context.parts.ids].find(([, one]) => one === id)?.[0] ?? id;
      return different(known, host);
    },
  ],
  [
    /^machine (\S+) is gone$/,
    (context, [name = '']) => (context.machine(name) === undefined ? undefined : 'it is there'),
  ],
  [
    /^machine (\S+) says (\w+)$/,
    (context, [name = '', reason]) =>
      different(textOf(tellingCondition(context.machine(name)), 'reason'), reason),
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
    /^"(.+)" happened (\d+) times?$/,
    ({ parts: { chronicle } }, [text = '', times]) => different(String(chronicle.count(text)), times),
  ],
];

export function expectationIn(line: Line): ((context: StoryContext) => string | undefined) | undefined {
  return expectationAmong(expectations, line);
}

function claimOf(context: StoryContext, host: string): string {
  return textOf(context.macHost(host), 'spec', 'claim', 'name') || 'no machine';
}
