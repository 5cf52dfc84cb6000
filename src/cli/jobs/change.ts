/**
 * How commands change the database: read, print the plan, ask, read again, write. With `--json` prints one document.
 */
import { confirmAndApply, type Proposal } from '../hosts/confirm-and-apply.ts';
import { reported } from '../hosts/change-report.ts';
import { printable } from '../hosts/table.ts';
import type { ProcessPorts } from '../process-ports.ts';
import type { StoreOptions } from './store-options.ts';

export async function change(
  options: StoreOptions & { readonly yes?: true },
  ports: ProcessPorts,
  look: () => Promise<Proposal>,
): Promise<void> {
  const { yes } = options;
  await reported(ports, options, async (report) => {
    const isDone = await confirmAndApply(
      report,
      async () => shown(await look()),
      yes === true ? { yes } : {},
    );
    report.ports.terminal.out(isDone ? 'done\n' : 'nothing to do\n');
  });
}

/** Logins come from GitHub and may contain control characters. */
function shown({ plan, notes = [], ...rest }: Proposal): Proposal {
  return { ...rest, plan: plan.map(printable), notes: notes.map(printable) };
}
