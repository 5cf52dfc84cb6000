/**
 * How a script reaches `/bin/sh`: on stdin, behind the number of its lines, and in front of its own stdin. The command line
 * is always the same, so that neither script nor secret is in the arguments, which every user of the host can read. `sh -s`
 * would run the first half of a script when the connection breaks, and may read ahead into the stdin of the script.
 */

/** The shell reads byte by byte, so what follows the script is left for it. One line, as not every login shell takes more. */
const program = [
  'read -r lines || exit 96',
  'newline=$(printf "\\n_")',
  'newline=${newline%_}',
  'script=',
  'while [ "$lines" -gt 0 ]; do IFS= read -r line || exit 96; script=$script$line$newline; lines=$((lines - 1)); done',
  'eval "unset lines newline line script;$newline$script"',
].join('; ');

export const launcher = `exec /bin/sh -c '${program}'`;

/** What the launcher reads first. A script that does not arrive whole does not run. */
export function frameScript(script: string): Buffer {
  if (script.includes('\0')) throw new Error('a script must not contain NUL');
  const lines = script.replace(/\n$/, '').split('\n');
  return Buffer.from(`${lines.length}\n${lines.join('\n')}\n`);
}
