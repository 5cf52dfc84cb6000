/**
 * Passwordless sudo for the user of the bootstrap. The password is asked for once and comes on stdin; the sudoers file
 * counts only after `visudo` has checked it, since a broken file in sudoers.d breaks sudo for good.
 */
import { Secret } from '../../../platform/secret.ts';
import { quoted, type Step } from './step.ts';

export const sudoStep: Step = {
  name: 'sudo',
  probe: () => ({
    name: 'sudo-probe',
    body: 'if sudo -n true 2>/dev/null; then echo sudo=yes; else echo sudo=no; fi',
  }),
  plan: (_config, { sudo }) => (sudo === 'yes' ? [] : ['sudo asks for a password']),
  // The name in sudoers.d has no dot until the file is checked: sudo skips names with a dot.
  apply: ({ user, sudoPassword }) => [
    {
      kind: 'run',
      name: 'sudo-apply',
      // sudo reads a line: a password without a line end counts as none.
      ...(sudoPassword !== undefined && { stdin: new Secret(`${sudoPassword.reveal()}\n`) }),
      body: `user=${quoted(user)}
file="$root/etc/sudoers.d/$user-nopasswd"
draft=$(mktemp "\${TMPDIR:-/tmp}/muster-sudoers.XXXXXX")
trap 'rm -f "$draft"' EXIT
printf '%s ALL=(ALL) NOPASSWD: ALL\\n' "$user" > "$draft"
visudo -cf "$draft" > /dev/null
sudo -S -p '' sh -c 'umask 077; mkdir -p "$3"; cp "$1" "$2.new"; chmod 440 "$2.new"; visudo -cf "$2.new" > /dev/null && mv "$2.new" "$2"' sh "$draft" "$file" "$root/etc/sudoers.d"`,
    },
  ],
  prove: () => ({
    name: 'sudo-proof',
    // Without -k a password typed a moment ago would do.
    body: 'sudo -k\nif sudo -n true; then echo proved=yes; else echo proved=sudo still asks for a password; fi',
  }),
};
