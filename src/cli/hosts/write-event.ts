/** Writes an Event about an operator's action. A failure is only a warning: the action itself is done. */
import type { Cluster } from './cluster.ts';

export async function writeEvent(
  report: () => ReturnType<Cluster['report']>,
  { what, warn }: { readonly what: string; readonly warn: (text: string) => void },
): Promise<void> {
  try {
    await report();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warn(`warning: ${what}, but failed to write an Event: ${why}\n`);
  }
}
