/** Progress of long work on stderr: one line that rewrites itself on a terminal, a line now and then elsewhere. */

const everyMs = 15_000;

export function progressPrinter(out: NodeJS.WriteStream = process.stderr): (line: string) => void {
  const startedAt = Date.now();
  let lastAt = 0;
  let lastSubject = '';
  return (line) => {
    const now = Date.now();
    const text = `[${clock(now - startedAt)}] ${line}`;
    if (out.isTTY) {
      out.write(`\r${text.slice(0, out.columns - 1)}\u001b[K`);
      return;
    }
    const subject = line.split(':')[0] ?? '';
    if (subject === lastSubject && now - lastAt < everyMs) return;
    [lastAt, lastSubject] = [now, subject];
    out.write(`${text}\n`);
  };
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
