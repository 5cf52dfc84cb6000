/** What may be shown of a text that a host sent. */
import { expect, it } from 'vitest';
import { safeText } from './safe-text.ts';

it('is one printable line', () => {
  expect(safeText('\u001B[31mred\u001B[0m\r\n\n  a\u0007b\u202E  \n')).toBe('red | ab');
});

it('loses its beginning where it is long', () => {
  const text = safeText(`${'x'.repeat(5_000)} the cause`);
  expect([text.length, text.slice(0, 2), text.slice(-9)]).toEqual([600, '…x', 'the cause']);
});

it('hides each line of the stdin and of the script, the longest first', () => {
  const hidden = { script: 'fi\n  launchctl bootstrap\n', stdin: 'pass\npassword\nabc' };
  expect(safeText('pass password launchctl bootstrap fi abc', hidden)).toBe(
    '[stdin] [stdin] [script] fi abc',
  );
});
