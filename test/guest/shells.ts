/** The shells for tests of guest programs: the POSIX shells of this machine. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Shell {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const known: readonly Shell[] = [
  { name: 'dash', command: 'dash', args: [] },
  { name: 'bash as sh', command: 'bash', args: ['--posix'] },
  { name: 'zsh as sh', command: 'zsh', args: ['--emulate', 'sh'] },
  { name: 'busybox sh', command: 'busybox', args: ['sh'] },
];

/** Missing shells are printed, because the programs are then untested with them. */
export function shellsHere(): readonly Shell[] {
  const absent = known.filter(({ command }) => !isHere(command));
  if (absent.length > 0) console.info(`not tried: ${absent.map(({ name }) => name).join(', ')}`);
  return known.filter((shell) => !absent.includes(shell));
}

function isHere(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
