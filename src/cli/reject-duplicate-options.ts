/** Rejects an option that is given twice: the user could not know which value counts. */
import type { Command } from 'commander';
import { isCollected } from '../platform/settings/command-options.ts';

/** Covers the command and its nested commands. Settings are excluded: their reader reports all errors together. */
export function takeEachOptionOnce(command: Command): void {
  for (const option of command.options.filter((one) => !isCollected(one))) {
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: ${option.long ?? option.flags} is given twice: give it once`);
      isGiven = true;
    });
  }
  for (const nested of command.commands) takeEachOptionOnce(nested);
}
