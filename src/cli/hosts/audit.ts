/** `muster audit`: the invariants that can be read from the cluster, checked now; a finding is a failure. */
import { auditedOf } from '../../hosts/state/audit-facts.ts';
import { detailOf, conflictsIn, type Conflict } from '../../hosts/state/duplicates.ts';
import { checkedInvariants, findingsIn, type Finding } from '../../hosts/state/invariants.ts';
import type { ProcessPorts } from '../process-ports.ts';
import { onCluster } from './connect.ts';
import { readFleet } from './fleet-state.ts';
import type { ReadOptions } from './options.ts';
import { printable } from './table.ts';

/** A stand-off breaks no invariant: an operator has to end it, and nothing is lost until then. */
function standOffFinding(standOff: Conflict): Finding {
  return { id: standOff.kind, subject: `host/${standOff.host.id}`, detail: detailOf(standOff) };
}

export function runAudit(options: ReadOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, async (cluster) => {
    const { hosts, machines, now } = await readFleet(cluster, options);
    const findings = [
      ...findingsIn({ hosts, machines: machines.map(auditedOf), now }),
      ...conflictsIn({ hosts, machines }).map(standOffFinding),
    ];
    const { terminal } = ports;
    const looked = `${hosts.length} hosts and ${machines.length} machines under ${checkedInvariants.join(', ')}`;
    if (options.json === true)
      terminal.out(`${JSON.stringify({ checked: checkedInvariants, findings }, null, 2)}\n`);
    else {
      for (const { id, subject, detail } of findings)
        terminal.out(printable(`${id.padEnd(3)} ${subject}: ${detail}`) + '\n');
      terminal.out(`looked at ${looked}: ${findings.length === 0 ? 'all hold' : 'see above'}\n`);
    }
    if (findings.length > 0)
      throw new Error(
        `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}; what they mean: docs/invariants.md`,
      );
  });
}
