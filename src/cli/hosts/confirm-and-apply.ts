/**
 * How every change is made: read, print the plan, ask, read again, and write only if the plan is still the same. Each
 * write carries the resourceVersion of its decision; after a conflict the plan is made again.
 */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { ProcessPorts } from '../process-ports.ts';
import type { ChangeReport } from './change-report.ts';

export interface Proposal {
  /** What will be done and the evidence, a line each. When the next read gives another plan, nothing is done. */
  readonly plan: readonly string[];
  /** Remarks that may change between the two reads. */
  readonly notes?: readonly string[];
  /** Absent when there is nothing to do. */
  readonly write?: () => Promise<void>;
}

export interface Agreement {
  readonly yes?: true;
  /** The word to type as confirmation; default: `y` or `yes`. */
  readonly word?: string | undefined;
}

const attemptsMax = 5;

/** `look` reads fresh and throws when the change must not be made. Returns whether something was written. */
export async function confirmAndApply(
  report: ChangeReport,
  look: () => Promise<Proposal>,
  agreement: Agreement,
): Promise<boolean> {
  const { ports } = report;
  const { plan, notes = [], write } = await look();
  report.planned(plan, notes);
  ports.terminal.out([...plan, ...notes].map((line) => `${line}\n`).join(''));
  if (write === undefined) return false;
  await confirm(ports, agreement);
  for (let attempt = 1; ; attempt += 1) {
    const again = await look();
    if (again.plan.join('\n') !== plan.join('\n'))
      throw new Error(
        `nothing was changed: the plan became different before you confirmed. The plan is now:\n${again.plan.join('\n')}`,
      );
    try {
      await again.write?.();
      report.did(...plan);
      return true;
    } catch (error) {
      if (!isFleetError(error, 'conflict') || attempt >= attemptsMax) throw error;
    }
  }
}

/** Without a terminal only `--yes` confirms. */
export async function confirm({ terminal, outside }: ProcessPorts, { yes, word }: Agreement): Promise<void> {
  if (yes === true) return;
  if (outside?.ask === undefined)
    throw new Error('nothing was changed: there is no terminal for a confirmation; add --yes to do it');
  const question = word === undefined ? 'Do it? [y/N] ' : `Type ${word} to do it: `;
  const answer = (await outside.ask(question))?.trim();
  if (answer === undefined) terminal.err('\n');
  const isAgreed = word === undefined ? /^y(es)?$/i.test(answer ?? '') : answer === word;
  if (!isAgreed) throw new Error('nothing was changed: you did not confirm');
}
