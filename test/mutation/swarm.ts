/**
 * `npm run mutation:swarm`: removes each guard and runs its scenario, `hosts` or `runners`, under random faults, to see
 * which mutants random faults alone would find. Words choose mutants; `--seeds` and `--hours` are those of the
 * scenario.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { mutants } from './mutants.ts';
import { jobAssignment } from './job-assignment.ts';
import { podRemoval } from './pod-removal.ts';
import { podStamps } from './pod-stamps.ts';

const root = join(import.meta.dirname, '..', '..');
const resultSchema = z.object({
  runs: z.number(),
  failures: z.array(z.object({ violation: z.object({ id: z.string() }) })),
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '10' },
    hours: { type: 'string', default: '12' },
  },
});

const ofRunners = new Set([...jobAssignment, ...podStamps, ...podRemoval].map(({ id }) => id));

/** Counts the violating runs per invariant; undefined when the run failed. */
function runOn(mutant: string): ReadonlyMap<string, number> | undefined {
  const scenario = ofRunners.has(mutant) ? 'runners' : 'hosts';
  const args = ['sim', '--scenario', scenario, '--seeds', values.seeds, '--hours', values.hours, '--json'];
  const { stdout } = spawnSync(join(root, 'bin', 'muster'), args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e9,
    env: {
      ...process.env,
      MUSTER_MUTANT: mutant,
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'mutate-on-load.ts')}`,
    },
  });
  if (stdout === '') return undefined;
  const { failures } = resultSchema.parse(JSON.parse(stdout));
  const counts = new Map<string, number>();
  for (const { violation } of failures) counts.set(violation.id, (counts.get(violation.id) ?? 0) + 1);
  return counts;
}

const chosen = mutants.filter(
  ({ id }) => positionals.length === 0 || positionals.some((word) => id.includes(word)),
);
let noticed = 0;
for (const { id } of chosen) {
  const counts = runOn(id);
  if (counts !== undefined && counts.size > 0) noticed += 1;
  const said =
    counts === undefined ? 'the run failed' : [...counts].map(([what, runs]) => `${what} in ${runs} runs`);
  console.log(`${id.padEnd(64)}${[said].flat().join(', ') || 'no violation'}`);
}
console.log(
  `${noticed} of ${chosen.length} broke an invariant in ${values.seeds} seeds of ${values.hours} hours`,
);
