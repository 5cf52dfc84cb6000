/** The formats `uri`, `email` and `hostname`, with the leniency of the real server's parsers. */

/** An absolute URI or an absolute path. Checks only the parts that the real parser checks. */
export function isRequestUri(text: string): boolean {
  if (text === '*') return true;
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0] ?? '';
  const beforeQuery = text.slice(scheme.length).replace(/\?[^]*/, '');
  if (hasControlCharacter(text)) return false;
  if (!beforeQuery.startsWith('/')) return scheme !== '';
  const authority = scheme === '' ? undefined : /^\/\/([^/]*)/.exec(beforeQuery)?.[1];
  if (authority === undefined) return areEscapesSound(beforeQuery);
  return isAuthority(authority) && areEscapesSound(beforeQuery.slice(2 + authority.length));
}

function hasControlCharacter(text: string): boolean {
  return Array.from(text).some((character) => character < ' ' || character === '\u007F');
}

function areEscapesSound(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}

function isAuthority(authority: string): boolean {
  const cut = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(cut, 0));
  const host = authority.slice(cut + 1);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !areEscapesSound(user)) return false;
  if (host.startsWith('[')) return /^\[[^\]]*\](:\d*)?$/.test(host);
  const name = host.replace(/:\d*$/, '');
  return !name.includes(':') && !/[ #/?@\\^`{|}%]/.test(name);
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10FFFF}-]+";
const address = new RegExp(
  `^(?:${atom}(?:\\.${atom})*|"(?:[^"\\\\]|\\\\.)+")@[ \\t]*(?:${atom}(?:\\.${atom})*|\\[[!-Z^-~]+\\])$`,
  'u',
);

const emailMax = 1_000;

/** A plain address, or an address in angle brackets after a name. */
export function isEmail(text: string): boolean {
  if (text.length > emailMax) return false;
  const trimmed = text.replaceAll(/^[ \t]+|[ \t]+$/g, '');
  const bracketed = /^(?:[^<>@,;:\\"()[\]]*|"(?:[^"\\]|\\.)*")[ \t]*<([^<>]*)>$/.exec(trimmed);
  return address.test(bracketed?.[1] ?? trimmed);
}

const letter = 'a-zA-Z0-9\\p{S}\\p{L}';
const hostname = new RegExp(
  `^([${letter}]((-?[${letter}]{0,62})?)|([${letter}](([${letter}-]{0,61}[${letter}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$`,
  'u',
);

export function isHostname(text: string): boolean {
  const bytes = new TextEncoder();
  if (text.length > 255 || bytes.encode(text).length > 255 || !hostname.test(text)) return false;
  return text.split('.').every((label) => bytes.encode(label).length <= 63);
}
