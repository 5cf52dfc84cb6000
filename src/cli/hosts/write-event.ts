/** An Event about what a person did. Where it cannot be left, what was done stands all the same, and that is said. */
import type { Cluster } from './cluster.ts';

export async function writeEvent(
  report: () => ReturnType<Cluster['report']>,
  { what, warn }: { readonly what: string; readonly warn: (text: string) => void },
): Promise<void> {
  try {
    await report();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warn(`warning: ${what}, but no Event could be left: ${why}\n`);
  }
}
