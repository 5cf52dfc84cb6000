/**
 * Uploads a file over a connection that can run scripts. The target changes only in one rename, after size and SHA-256 of
 * what arrived were compared on the host: macOS remembers the signature of a program by its inode, so a program must never
 * be overwritten in place.
 */
import type { Clock } from '../../../platform/clock.ts';
import { SshError } from './errors.ts';
import type { CommandResult, SshConnection, UploadOrder } from './port.ts';

const outputMax = 4 * 1024;

/** Both scripts read their arguments from stdin, so that no path needs quoting. */
const prologue = `
LC_ALL=C; export LC_ALL
IFS= read -r path; IFS= read -r mode; IFS= read -r size; IFS= read -r sum
checksum() { if command -v shasum >/dev/null 2>&1; then shasum -a 256; else sha256sum; fi | cut -d ' ' -f 1; }
is_right() { [ "$(wc -c < "$1")" -eq "$size" ] && [ "$(checksum < "$1")" = "$sum" ]; }
`;

const compareScript = `${prologue}
if [ -f "$path" ] && [ ! -L "$path" ] && [ -n "$(find "$path" -prune -perm "$mode")" ] && is_right "$path"
then echo 'muster-upload unchanged'
else echo 'muster-upload needed'
fi
`;

/**
 * When the connection breaks, `cat` ends early, the size is wrong and the temporary file goes. Nobody reads the message
 * then, and without its trap SIGPIPE would end the shell before the clean-up.
 */
const transferScript = `${prologue}
umask 077
if [ -d "$path" ]; then echo 'the target of the upload is a folder' >&2; exit 1; fi
temporary=$(mktemp "$(dirname "$path")/.muster-upload.XXXXXX") || exit 1
trap 'rm -f "$temporary"' EXIT
trap 'exit 1' HUP INT TERM PIPE
cat > "$temporary" || exit 1
if ! is_right "$temporary"; then echo 'the upload arrived incomplete or damaged' >&2; exit 1; fi
chmod "$mode" "$temporary" && mv -f "$temporary" "$path" && echo 'muster-upload done'
`;

export async function upload(
  connection: Pick<SshConnection, 'run'>,
  order: UploadOrder,
  { clock, host }: { readonly clock: Clock; readonly host: string },
): Promise<'uploaded' | 'unchanged'> {
  const header = headerOf(order);
  const endsAt = clock.now() + order.deadlineMs;
  const run = (script: string, name: string, stdin: Uint8Array | AsyncIterable<Uint8Array>) =>
    connection.run(script, {
      name: `the ${name} of ${order.path}`,
      stdin,
      deadlineMs: endsAt - clock.now(),
      stdoutMax: outputMax,
      stderrMax: outputMax,
    });
  const compared = await run(compareScript, 'comparison', header);
  if (said(compared, 'unchanged')) return 'unchanged';
  const name = 'upload';
  const transferred = await run(transferScript, name, content(header, order));
  if (said(transferred, 'done')) return 'uploaded';
  const stderr = 'the script did not confirm the end of the upload';
  throw new SshError(host, { kind: 'command-failed', name: `the ${name} of ${order.path}`, exit: 0, stderr });
}

/** The start files of a login shell may print something before. */
function said({ stdout }: CommandResult, word: string): boolean {
  return stdout.trimEnd().split('\n').at(-1) === `muster-upload ${word}`;
}

function headerOf({ path, mode, source }: UploadOrder): Buffer {
  if (!path.startsWith('/') || /[\n\0]/.test(path)) throw new Error(`not an absolute path: ${path}`);
  if (!/^0[0-7]{3}$/.test(mode)) throw new Error(`not a file mode: ${mode}`);
  return Buffer.from(`${path}\n${mode}\n${source.size}\n${source.sha256}\n`);
}

async function* content(header: Buffer, { source }: UploadOrder): AsyncGenerator<Uint8Array> {
  yield header;
  yield* source.open();
}
