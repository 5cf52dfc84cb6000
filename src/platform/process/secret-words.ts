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

/** A color of a terminal; where control characters were taken out, what is left of it. */
const color = '\\u001B?\\[[\\d;]{0,20}m';
const gap = `(?:\\s|${color})`;
/** No word has begun before here. */
const start = `(?:(?<![a-z\\d])|(?<=\\[[\\d;]{0,20}m))`;

/** Where a quote is never closed, the line is the secret. */
const quoted = '"[^"]*"|"[^"\\n]*|\'[^\']*\'|\'[^\'\\n]*';
/** The length is bounded, so that lists that are never closed are not read to the end of the text again and again. */
const listed = '\\[[^\\]]{0,1000}\\]|\\[[^\\]\\n]*';
const value = `\\\\"[^"]*"|\\\\"[^"\\n]*|${quoted}|${listed}|(?:(?:Bearer|Basic|Digest|Token)\\s+)?[^\\s&;,"']+`;
/** `DB_PASS` is the name of a secret, `bypass` is a word. */
const short = `${start}(?:${alone})`;
/** `TOKEN_2`, `db_pass_prod` and `SECRET_OF_CI`, but neither `tokens_per_second` nor `TOKEN_FILE`. */
const which =
  '[_-]?\\d{1,4}|[_-](?:prod|production|dev|test|stage|staging|old|new)|(?-i:_(?!(?:FILE|PATH|NAME|DIR|TTL|COUNT|MAX)\\b)[A-Z\\d_]{1,30})';
const name = `(?:${anywhere.replaceAll('_', '[-_]')})[\\w-]{0,20}|(?:(?:${atTheEnd})s?|${short})(?:${which})?`;
/** `token=…`, `"password": "…"`, `Authorization: Basic …`: a name, a sign, a value. */
const assignment = new RegExp(`(${name})(\\\\?["']?${gap}*(?:[=:]|%3D)${gap}*)(?:${value})`, 'gi');

const option = 'pass(?:word|wd|phrase)?|pwd|pat|token|secret|auth|api-?key|jit-?config';
const spoken = 'passw(?:or)?d|passphrase|secret';

const looks: readonly (readonly [RegExp, string])[] = [
  [/\bBearer\s+[^\s"',]+/gi, `Bearer ${redacted}`],
  // Not "basic training": base64 has a capital letter, a digit or a sign somewhere.
  [/\bBasic\s+(?=[a-z]*[A-Z\d+/=])[\w+/=-]{6,}/g, `Basic ${redacted}`],
  // Not "token expired": a token has a digit or a sign of base64 somewhere.
  [/\b(token\s+)(?=[a-z_-]*[\d+/=])[\w.+/=-]{8,}/gi, `$1${redacted}`],
  // Not "password required": a password has a digit or a sign somewhere.
  [
    new RegExp(`((?:${spoken})${gap}+(?:is\\s+)?)(?=[a-z_.-]*[\\d+=!@#$%^&*])[^\\s"'[]{4,}`, 'gi'),
    `$1${redacted}`,
  ],
  // A line of a .netrc, or all of one in a line: there a password may be any word.
  [new RegExp(`^([ \\t]*(?:${spoken})[ \\t]+)\\S+[ \\t]*$`, 'gim'), `$1${redacted}`],
  [/\b((?:machine|login|account)\s+\S{1,200}\s+password\s+)\S+/gi, `$1${redacted}`],
  // On a command line: --password x, -u user:x.
  [new RegExp(`(--?(?:${option})(?:[ \\t=]|${color})+)(?:${quoted}|[^\\s"']+)`, 'gi'), `$1${redacted}`],
  [/((?:^|\s)-u\s+[^\s:]{1,100}:)[^\s"']+/g, `$1${redacted}`],
  // Tokens of GitHub, GitLab, npm, Docker, Slack, Hugging Face and Stripe, and keys of AWS say what they are.
  [new RegExp(`${start}(?:(?:gh[a-z]|github_pat|npm|dckr_pat)_|glpat-)[\\w-]{8,}`, 'gi'), redacted],
  [new RegExp(`${start}(?:[sr]k_(?:live|test)_\\w{8,}|hf_[a-z\\d]{16,})`, 'gi'), redacted],
  [new RegExp(`${start}xox[a-z]-[\\w-]{8,}`, 'gi'), redacted],
  [new RegExp(`${start}(?:AKIA|ASIA)\\w{12,}`, 'g'), redacted],
  // A signed token or a registration, or the beginning of one: both start as JSON does, in base64.
  [new RegExp(`${start}eyJ[\\w+/=-]{8,}(\\.[\\w-]*)*`, 'g'), redacted],
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
