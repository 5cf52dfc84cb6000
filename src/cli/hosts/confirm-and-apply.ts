/**
 * How every change is made: look, print what would be done, ask, look again, and write only if what was agreed to is
 * still what would be done. Each write carries the version it was decided on; who is overtaken looks again.
 */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { ProcessPorts } from '../process-ports.ts';
import type { ChangeReport } from './change-report.ts';

export interface Proposal {
  /** What will be done and what speaks for it, a line each; when it is different at the next look, nothing is done. */
  readonly plan: readonly string[];
  /** What is good to know, and may change meanwhile. */
  readonly notes?: readonly string[];
  /** Absent when there is nothing to do. */
  readonly write?: () => Promise<void>;
}

export interface Agreement {
  readonly yes?: true;
  /** What has to be typed to agree; `y` or `yes` unless given. */
  readonly word?: string | undefined;
}

const attemptsMax = 5;

/** `look` reads fresh and throws when the change must not be made. Says whether something was written. */
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
        `nothing was changed: while you were asked, things became different. Now it would be:\n${again.plan.join('\n')}`,
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

/** Nobody agrees by accident: without a terminal, only a flag does. */
export async function confirm({ terminal, outside }: ProcessPorts, { yes, word }: Agreement): Promise<void> {
  if (yes === true) return;
  if (outside?.ask === undefined)
    throw new Error('nothing was changed: there is no terminal to ask on; add --yes to do it');
  const question = word === undefined ? 'Do it? [y/N] ' : `Type ${word} to do it: `;
  const answer = (await outside.ask(question))?.trim();
  if (answer === undefined) terminal.err('\n');
  const isAgreed = word === undefined ? /^y(es)?$/i.test(answer ?? '') : answer === word;
  if (!isAgreed) throw new Error('nothing was changed: you did not agree');
}
