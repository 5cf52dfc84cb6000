/**
 * The order of test files: the longest of earlier runs first, with the files of the projects mixed, so that files that
 * wait for servers run next to files that compute. Long files do not start near the end.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { spread } from './spread.ts';
import { readTimes, timesFileIn } from './test-times.ts';

const shares: Readonly<Record<string, number>> = { integration: 0.8 };

export class MixedSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = process.cwd();
    const times = readTimes(timesFileIn(root));
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      times[relative(root, moduleId)] ?? Infinity;
    const sorted = files.toSorted((a, b) =>
      secondsOf(a) === secondsOf(b) ? 0 : secondsOf(b) - secondsOf(a),
    );
    const groups = Map.groupBy(sorted, ({ project }) => project.config.sequence.groupOrder);
    return [...groups].toSorted(([a], [b]) => a - b).flatMap(([, group]) => [...mixed(group)]);
  }
}

function mixed(group: readonly TestSpecification[]): readonly TestSpecification[] {
  const projects = Map.groupBy(group, ({ project }) => project.name);
  return spread([...projects].map(([name, list]) => ({ list, share: shares[name] ?? 1 })));
}
