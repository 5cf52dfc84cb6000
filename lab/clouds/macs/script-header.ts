/** Finds the header line of a script, `# muster: NAME reads|changes`, in a command line or in the first lines of stdin. */
import { Transform } from 'node:stream';
import type { ScriptHeader } from './journal.ts';

const pattern = /^# muster: (.+) (reads|changes)$/;
/** A header is shorter; what is longer is content. */
const lookedAtMax = 1024;

/** In the first or the second line: a launcher may send the number of lines before the script. */
export function headerIn(text: string): ScriptHeader | undefined {
  const [first = '', second = ''] = text.split('\n', 2);
  const header = headerOf(first);
  return header ?? (/^\d+$/.test(first) ? headerOf(second) : undefined);
}

function headerOf(line: string): ScriptHeader | undefined {
  const [, name, effect] = pattern.exec(line) ?? [];
  if (name === undefined || (effect !== 'reads' && effect !== 'changes')) return undefined;
  return { name, effect };
}

/** Passes stdin on as it is, and calls `found` before the shell gets the line. */
export function watchHeader(found: (header: ScriptHeader) => void): Transform {
  let start: string | undefined = '';
  const look = (text: string): void => {
    start = undefined;
    const header = headerIn(text);
    if (header !== undefined) found(header);
  };
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      if (start !== undefined) {
        start += chunk.toString('latin1', 0, lookedAtMax);
        const isEnough = start.length >= lookedAtMax || start.split('\n').length > 2;
        // A header in the first line is complete with its end; the shell may act on it at once.
        if (isEnough || headerIn(start) !== undefined) look(Buffer.from(start, 'latin1').toString());
      }
      done(null, chunk);
    },
    flush: (done) => {
      if (start !== undefined) look(Buffer.from(start, 'latin1').toString());
      done();
    },
  });
}
