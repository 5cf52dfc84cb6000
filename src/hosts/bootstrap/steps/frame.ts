/** The frame of every script: its name for the journal of the host, strict errors, the root, and the fence. */
import { quoted, type Fence, type Script } from './step.ts';

/** The exit code of a script that found a newer fence. */
export const overtakenCode = 75;

/** `MUSTER_ROOT` is empty on a Mac; a simulated Mac has a private root. */
function begin(name: string, kind: 'reads' | 'changes'): string {
  return `# muster: ${name} ${kind}\nset -eu\nroot=\${MUSTER_ROOT-}\n`;
}

export function readingScript({ name, body }: Script): string {
  return `${begin(name, 'reads')}${body}\n`;
}

/**
 * A script that changes something compares the fence first, and leaves its own. An older leader may still be connected:
 * its scripts end with 75 before they change anything. The fence needs no root rights, so that the first step can set it.
 */
export function changingScript({ name, body }: Script, { machineUid, epoch, term }: Fence): string {
  return `${begin(name, 'changes')}fence="$root/var/tmp/muster-fence"
if [ -e "$fence" ]; then
  read -r found_uid found_epoch found_term < "$fence"
  if [ "$found_epoch" -gt ${epoch} ] || { [ "$found_epoch" -eq ${epoch} ] && [ "$found_term" -gt ${term} ]; }; then
    echo "a newer leader works on this host: $found_uid" >&2
    exit ${overtakenCode}
  fi
fi
mkdir -p "$root/var/tmp"
echo ${quoted(machineUid)} ${epoch} ${term} > "$fence.$$"
mv "$fence.$$" "$fence"
${body}
`;
}
