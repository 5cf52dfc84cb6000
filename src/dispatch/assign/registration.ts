/** The name, labels and work folder of a runner. */
import type { Platform } from '../store/rows.ts';

const nameMax = 64;
const suffixLength = 8;

/** The part of a Pod name that the names of its runners begin with. */
export function podPrefixOf(podName: string): string {
  return podName.slice(0, nameMax - suffixLength - 1);
}

/** A new name each time: GitHub reserves a name even if its answer is lost. */
export function runnerNameFor(podName: string, id: string): string {
  const suffix = id.replaceAll('-', '').slice(0, suffixLength);
  return `${podPrefixOf(podName)}-${suffix}`;
}

/** The complete labels: GitHub adds no labels to a runner registered for one job. */
export function labelsOfRunner(
  { runnerLabels }: { readonly runnerLabels: readonly string[] },
  jobLabel: string,
): readonly string[] {
  return [...runnerLabels, jobLabel];
}

export function workFolderFor(platform: Platform): string {
  return platform === 'macos' ? '/Users/runner/work' : '/home/runner/work';
}
