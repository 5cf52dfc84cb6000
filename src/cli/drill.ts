/** A drill: the embedded API with faults from a file. Warns that faults are on, and prints each injected fault. */
import { readFile } from 'node:fs/promises';
import { FaultPlan } from '../embedded/kubernetes-api/faults/fault-plan.ts';
import { describeDeed } from '../embedded/kubernetes-api/faults/faults.ts';
import { FaultyServer } from '../embedded/kubernetes-api/faults/faulty-server.ts';
import { parsePlan, type PlanFile } from '../embedded/kubernetes-api/faults/plan-file.ts';
import type { ApiServer } from '../embedded/kubernetes-api/server.ts';
import type { ProcessPorts } from './process-ports.ts';

/** Reads and checks the plan; the drill starts when the returned function is called. */
export async function readDrill(
  file: string,
  { clock, random, terminal }: Pick<ProcessPorts, 'clock' | 'random' | 'terminal'>,
): Promise<(server: ApiServer) => FaultyServer> {
  const plan = await readPlan(file);
  return (server) => {
    const { rules, situations } = plan;
    const size = `${rules.length} rules and ${situations.length} situations`;
    terminal.err(`warning: faults are on: ${size} from ${file}; requests of clients will fail\n`);
    const report = (line: string): void => terminal.err(`fault: ${line}\n`);
    const faults = new FaultPlan(plan, { clock, random, report: (deed) => report(describeDeed(deed)) });
    return new FaultyServer({ server, faults, clock });
  };
}

async function readPlan(file: string): Promise<PlanFile> {
  try {
    return parsePlan(await readFile(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the faults in ${file} cannot be used: ${why}`, { cause: error });
  }
}
