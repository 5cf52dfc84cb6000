/** The report of `npm test` on the API contract: the results of each server, and the known exceptions. */
import { z } from 'zod';
import type { Exception } from '../lab/contracts/kubernetes-api/exceptions.ts';
import type { Lack } from '../lab/contracts/kubernetes-api/lacks.ts';

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(z.object({ status: z.string(), ancestorTitles: z.array(z.string()) })),
    }),
  ),
});

const suiteTitle = /^the contract on (?<target>.+)$/;

/** Empty when the run had no suite of the contract. */
export function contractReport(
  report: unknown,
  { exceptions, lacks }: { readonly exceptions: readonly Exception[]; readonly lacks: readonly Lack[] },
): string {
  const counts = countsOf(report);
  if (counts.size === 0) return '';
  const width = Math.max(...[...counts.keys()].map((target) => target.length));
  const rows = [...counts].map(([target, { passed, failed, skipped }]) => {
    const also = skipped > 0 ? `, ${skipped} skipped` : '';
    return `  ${target.padEnd(width)}  ${passed} passed, ${failed} failed${also}`;
  });
  const known = exceptions.map(({ target, rule, why }) => `  ${target}: ${rule} (${why})`);
  const table = known.length === 0 ? ['Exceptions to it: none'] : ['Exceptions to it:', ...known];
  const unasked = lacks.map(({ target, need, why }) => `Not asked of ${target}: what needs ${need} (${why})`);
  return ['The API contract, server by server:', ...rows, ...table, ...unasked].join('\n');
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

function countsOf(report: unknown): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  const parsed = reportSchema.safeParse(report);
  for (const { status, ancestorTitles } of parsed.success
    ? parsed.data.testResults.flatMap((file) => file.assertionResults)
    : []) {
    const target = ancestorTitles.flatMap((title) => suiteTitle.exec(title)?.groups?.['target'] ?? [])[0];
    if (target === undefined) continue;
    const count = counts.get(target) ?? { passed: 0, failed: 0, skipped: 0 };
    counts.set(target, count);
    if (status === 'passed') count.passed += 1;
    else if (status === 'failed') count.failed += 1;
    else count.skipped += 1;
  }
  return counts;
}
