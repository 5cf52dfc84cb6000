/** An option that is given twice is an error: whoever typed two values cannot know which one counts. */
import type { Command } from 'commander';
import { isCollected } from '../platform/settings/command-options.ts';

/** Of the command and all below it. Settings are left out: who reads those tells of all that is wrong at once. */
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
