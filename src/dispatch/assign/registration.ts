/** How a runner is called at GitHub, which labels it has there, and where it works. */
import type { Platform } from '../store/rows.ts';

const nameMax = 64;
const suffixLength = 8;

/** What of the name of a Pod is in the names of its runners. */
export function podPrefixOf(podName: string): string {
  return podName.slice(0, nameMax - suffixLength - 1);
}

/** Never the same twice: GitHub reserves a name when it answers, also when its answer is lost. */
export function runnerNameFor(podName: string, id: string): string {
  const suffix = id.replaceAll('-', '').slice(0, suffixLength);
  return `${podPrefixOf(podName)}-${suffix}`;
}

/** All that it has: GitHub adds none by itself to a runner that is registered for one job. */
export function labelsOfRunner(
  { runnerLabels }: { readonly runnerLabels: readonly string[] },
  jobLabel: string,
): readonly string[] {
  return [...runnerLabels, jobLabel];
}

export function workFolderFor(platform: Platform): string {
  return platform === 'macos' ? '/Users/runner/work' : '/home/runner/work';
}
