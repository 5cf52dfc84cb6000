/**
 * Finds what must not be printed although nobody wrapped it: by the name it goes under, and by its look within a text.
 * A second line of defence; the first is the `Secret` type.
 */
import { redacted } from '../secret.ts';

/** In the name of a field, anywhere. */
const anywhere =
  'passw(?:or)?d|passphrase|private_?key|authorization|cookie|vnc_?url|api_?key|secret_?key|access_?key|jit_?config|key_?data';
/** At its end only: `tokenFile` and `secretName` say where a secret is, not what. */
const atTheEnd = 'token|secret|bearer';

/** As the whole name only: they are parts of many harmless words. */
const alone = 'pass|pwd|auth';

const nameOfSecret = new RegExp(`${anywhere}|(?:${atTheEnd}|credential)s?$|^(?:${alone})$`);

export function isSecretName(name: string): boolean {
  return nameOfSecret.test(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
}

/** First of all: a key has several lines and looks like a value that ends at a space. */
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g;
/** The end of a log may begin in the middle of a key. Only at the very start, so that the text is read once. */
const restOfPrivateKey = /^[\w+/=\s-]*-----END [A-Z ]*PRIVATE KEY-----/;

const value = `\\\\"[^"]*"|"[^"]*"|'[^']*'|(?:(?:Bearer|Basic|Digest|Token)\\s+)?[^\\s&;,"']+`;
/** `DB_PASS` is the name of a secret, `bypass` is a word. */
const short = `(?<![a-z])(?:${alone})`;
const name = `(?:${anywhere.replaceAll('_', '[-_]')})[\\w-]{0,20}|(?:${atTheEnd})s?|${short}`;
/** `token=…`, `"password": "…"`, `Authorization: Basic …`: a name, a sign, a value. */
const assignment = new RegExp(`(${name})(\\\\?["']?\\s*(?:[=:]|%3D)\\s*)(?:${value})`, 'gi');

const option = 'pass(?:word|wd|phrase)?|pwd|pat|token|secret|auth|api-?key|jit-?config';

const looks: readonly (readonly [RegExp, string])[] = [
  [/\bBearer\s+[^\s"',]+/gi, `Bearer ${redacted}`],
  // Not "basic training": base64 has a capital letter, a digit or a sign somewhere.
  [/\bBasic\s+(?=[a-z]*[A-Z\d+/=])[\w+/=-]{6,}/g, `Basic ${redacted}`],
  // Not "token expired": a token has a digit or a sign of base64 somewhere.
  [/\b(token\s+)(?=[a-z_-]*[\d+/=])[\w.+/=-]{8,}/gi, `$1${redacted}`],
  // On a command line: --password x, -u user:x.
  [new RegExp(`(--?(?:${option})[ =]+)(?:"[^"]*"|'[^']*'|[^\\s"']+)`, 'gi'), `$1${redacted}`],
  [/((?:^|\s)-u\s+[^\s:]{1,100}:)[^\s"']+/g, `$1${redacted}`],
  // Tokens of GitHub, GitLab, npm, Slack, and keys of AWS say what they are.
  [/\b(?:(?:gh[a-z]|github_pat|npm)_|glpat-)[\w-]{8,}/g, redacted],
  [/\bxox[a-z]-[\w-]{8,}/g, redacted],
  [/\b(?:AKIA|ASIA)\w{12,}/g, redacted],
  // A signed token or a registration, or the beginning of one: both start as JSON does, in base64.
  [/\beyJ[\w+/=-]{8,}(\.[\w-]*)*/g, redacted],
];

/** The text without what looks like a secret. */
export function withoutSecrets(text: string): string {
  const keyless = text.replace(restOfPrivateKey, redacted).replaceAll(privateKey, redacted);
  const named = withoutUsers(keyless.replaceAll(assignment, `$1$2${redacted}`));
  return looks.reduce((rest, [look, instead]) => rest.replaceAll(look, instead), named);
}

/**
 * URLs without user and password: vnc://user:password@host. The password may contain a slash or an at sign. One pattern that
 * ends at the last at sign would read a text with many URLs again from each of them.
 */
function withoutUsers(text: string): string {
  return text.replaceAll(
    /\b([a-z][a-z\d+.-]{0,20}:\/\/)([^\s"']*)/gi,
    (url: string, scheme: string, rest: string) => {
      const end = rest.lastIndexOf('@');
      return end < 0 ? url : `${scheme}${redacted}${rest.slice(end)}`;
    },
  );
}
