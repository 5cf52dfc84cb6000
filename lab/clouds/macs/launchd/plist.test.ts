/** Property lists in XML, read as strictly as launchd reads them. */
import { describe, expect, it } from 'vitest';
import { parsePlist } from './plist.ts';

const wrap = (value: string): string =>
  `<?xml version="1.0"?>\n<!DOCTYPE plist>\n<plist version="1.0">${value}</plist>\n`;

describe('a property list', () => {
  it.each([
    ['<string>a &lt;b&gt; &amp; &quot;c&quot; &#65;&#x42;</string>', 'a <b> & "c" AB'],
    ['<string/>', ''],
    ['<string></string>', ''],
    ['<string>  spaces  </string>', '  spaces  '],
    ['<integer>-5</integer>', -5],
    ['<real>1.5</real>', 1.5],
    ['<true/>', true],
    ['<array><string>a</string><array/><false/></array>', ['a', [], false]],
    ['<!-- why --><dict><key>a</key><dict><key>b</key><integer>1</integer></dict></dict>', { a: { b: 1 } }],
  ])('has the value of %s', (text, value) => {
    expect(parsePlist(wrap(text))).toEqual(value);
  });

  it.each([
    '<string>a & b</string>',
    '<string>a &unknown; b</string>',
    '<string>a < b</string>',
    '<string>a</integer>',
    '<integer>five</integer>',
    '<integer></integer>',
    '<dict><string>a</string></dict>',
    '<dict><key>a</key></dict>',
    '<dict><key>a</key><string>b</string>',
    '<array><string>a</string></dict></array>extra',
    '<strange>a</strange>',
    '',
  ])('is refused with %s', (text) => {
    expect(() => parsePlist(wrap(text))).toThrow(/property list|missing|entity|<\//);
  });
});
