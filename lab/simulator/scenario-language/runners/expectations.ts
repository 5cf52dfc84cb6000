/** Expectations of a story of runners. Each returns what is there instead, or undefined when the expectation holds. */
import type { PodFacts } from '../../workloads/runners/runner-truth.ts';
import { different, expectationAmong, type Phrase } from '../grammar.ts';
import type { Line } from '../story.ts';
import type { RunnersContext } from './context.ts';

const isFree = ({ owner, isDeleting, isOver }: PodFacts): boolean =>
  owner === undefined && !isDeleting && !isOver;

const expectations: readonly Phrase<RunnersContext, string | undefined>[] = [
  [
    /^job (\S+) is (waiting|queued|claimed|running|completed|unknown)$/,
    (context, [name = '', state]) =>
      different(context.parts.tables.jobs.get(context.job(name).id)?.state ?? 'unknown', state),
  ],
  [
    /^job (\S+) ended in (\w+)$/,
    (context, [name = '', conclusion]) =>
      different(context.job(name).conclusion ?? context.job(name).status, conclusion),
  ],
  [/^job (\S+) is at work$/, (context, [name = '']) => different(context.job(name).status, 'in_progress')],
  [
    /^(\d+) jobs of (\S+) (are at work|ended in \w+)$/,
    (context, [count, prefix = '', how = '']) => {
      const jobs = context.jobsCalled(prefix);
      const isSo = ({ status, conclusion }: (typeof jobs)[number]): boolean =>
        how === 'are at work' ? status === 'in_progress' : `ended in ${conclusion}` === how;
      const so = jobs.filter(isSo).length;
      return so === Number(count) ? undefined : `${so} of ${jobs.length} did`;
    },
  ],
  [
    /^(\d+) Pods? of (\S+) (?:are|is) free$/,
    ({ parts: { truth } }, [count, pool]) => {
      const all = truth.pods.filter((pod) => pod.pool === pool);
      const free = all.filter((pod) => isFree(pod) && truth.tokenOf(pod.uid) !== undefined);
      return free.length === Number(count) ? undefined : `${free.length} of ${all.length} are`;
    },
  ],
  [
    /^(\d+) Pods? of (\S+) (?:have|has) image (\S+)$/,
    ({ parts: { truth } }, [count, pool, image]) => {
      const all = truth.pods.filter((pod) => pod.pool === pool && !pod.isDeleting && !pod.isOver);
      const so = all.filter((pod) => pod.image === image);
      return so.length === Number(count) ? undefined : `${so.length} of ${all.length} have`;
    },
  ],
  [
    /^GitHub has (\d+|no) runners?$/,
    ({ parts: { site } }, [count]) => {
      const { length } = site.hall.all;
      return length === (count === 'no' ? 0 : Number(count)) ? undefined : `there are ${length}`;
    },
  ],
  [
    /^Pod (\S+|of \S+) is (free|stamped|gone)$/,
    (context, [words = '', wanted]) => {
      const pod = context.pod(words);
      const is = pod === undefined ? 'gone' : pod.owner === undefined ? 'free' : 'stamped';
      return different(is, wanted);
    },
  ],
  [
    /^no claim is left$/,
    ({ parts: { tables } }) => (tables.claims.size === 0 ? undefined : `there are ${tables.claims.size}`),
  ],
  [
    /^no session is open$/,
    ({ parts: { tables } }) => {
      const open = [...tables.sessions.values()].filter(({ endedAt }) => endedAt === undefined);
      return open.length === 0 ? undefined : `there are ${open.length}`;
    },
  ],
  [
    /^each Pod has its ServiceAccount, and none is left over$/,
    ({ parts: { truth } }) => {
      const pods = truth.pods.map(({ name }) => name).toSorted();
      const accounts = truth.accounts.toSorted();
      return pods.join() === accounts.join() ? undefined : `there are ${accounts.length} for ${pods.length}`;
    },
  ],
  [
    /^"(.+)" happened (\d+) times?$/,
    ({ parts: { chronicle } }, [text = '', times]) => different(String(chronicle.count(text)), times),
  ],
];

export function expectationIn(line: Line): ((context: RunnersContext) => string | undefined) | undefined {
  return expectationAmong(expectations, line);
}
