/**
 * Finds secrets that were not wrapped in a `Secret`: by the name of a field, and by their form within a text. A
 * second line of defense; the first is the `Secret` type.
 */
import { redacted } from '../secret.ts';

/** Anywhere in the name of a field. */
const anywhere =
  'passw(?:or)?d|passphrase|private_?key|authorization|cookie|vnc_?url|api_?key|secret_?key|access_?key|jit_?config|key_?data';
/** Only at the end: `tokenFile` and `secretName` tell where a secret is, not its value. */
const atTheEnd = 'token|secret|bearer';

/** Only as the whole name, because these are parts of many harmless words. */
const alone = 'pass|pwd|auth';

const nameOfSecret = new RegExp(`${anywhere}|(?:${atTheEnd}|credential)s?$|^(?:${alone})$`);

export function isSecretName(name: string): boolean {
  return nameOfSecret.test(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
}

/** Applied first: a key has several lines and looks like a value that ends at a space. */
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g;
/** A log may begin in the middle of a key. Anchored to the start, so that the text is read once. */
const restOfPrivateKey = /^[\w+/=\s-]*-----END [A-Z ]*PRIVATE KEY-----/;

/** A terminal color, or its rest after control characters were removed. */
const color = '\\u001B?\\[[\\d;]{0,20}m';
const gap = `(?:\\s|${color})`;
/** No word begins before this position. */
const start = `(?:(?<![a-z\\d])|(?<=\\[[\\d;]{0,20}m))`;

/** An unclosed quote makes the rest of the line the secret. */
const quoted = '"[^"]*"|"[^"\\n]*|\'[^\']*\'|\'[^\'\\n]*';
/** Bounded, so that unclosed lists are not rescanned to the end of the text. */
const listed = '\\[[^\\]]{0,1000}\\]|\\[[^\\]\\n]*';
const value = `\\\\"[^"]*"|\\\\"[^"\\n]*|${quoted}|${listed}|(?:(?:Bearer|Basic|Digest|Token)\\s+)?[^\\s&;,"']+`;
/** `DB_PASS` is the name of a secret; `bypass` is a word. */
const short = `${start}(?:${alone})`;
/** Matches `TOKEN_2`, `db_pass_prod` and `SECRET_OF_CI`, but not `tokens_per_second` or `TOKEN_FILE`. */
const which =
  '[_-]?\\d{1,4}|[_-](?:prod|production|dev|test|stage|staging|old|new)|(?-i:_(?!(?:FILE|PATH|NAME|DIR|TTL|COUNT|MAX)\\b)[A-Z\\d_]{1,30})';
const name = `(?:${anywhere.replaceAll('_', '[-_]')})[\\w-]{0,20}|(?:(?:${atTheEnd})s?|${short})(?:${which})?`;
/** `token=…`, `"password": "…"`, `Authorization: Basic …`: a name, a sign, a value. */
const assignment = new RegExp(`(${name})(\\\\?["']?${gap}*(?:[=:]|%3D)${gap}*)(?:${value})`, 'gi');

const option = 'pass(?:word|wd|phrase)?|pwd|pat|token|secret|auth|api-?key|jit-?config';
const spoken = 'passw(?:or)?d|passphrase|secret';

const looks: readonly (readonly [RegExp, string])[] = [
  [/\bBearer\s+[^\s"',]+/gi, `Bearer ${redacted}`],
  // Not "basic training": base64 contains a capital letter, a digit or a sign.
  [/\bBasic\s+(?=[a-z]*[A-Z\d+/=])[\w+/=-]{6,}/g, `Basic ${redacted}`],
  // Not "token expired": a token contains a digit or a base64 sign.
  [/\b(token\s+)(?=[a-z_-]*[\d+/=])[\w.+/=-]{8,}/gi, `$1${redacted}`],
  // Not "password required": a password contains a digit or a sign.
  [
    new RegExp(`((?:${spoken})${gap}+(?:is\\s+)?)(?=[a-z_.-]*[\\d+=!@#$%^&*])[^\\s"'[]{4,}`, 'gi'),
    `$1${redacted}`,
  ],
  // A line of a .netrc, or a whole .netrc in one line: there a password may be any word.
  [new RegExp(`^([ \\t]*(?:${spoken})[ \\t]+)\\S+[ \\t]*$`, 'gim'), `$1${redacted}`],
  [/\b((?:machine|login|account)\s+\S{1,200}\s+password\s+)\S+/gi, `$1${redacted}`],
  // On a command line: --password x, -u user:x.
  [new RegExp(`(--?(?:${option})(?:[ \\t=]|${color})+)(?:${quoted}|[^\\s"']+)`, 'gi'), `$1${redacted}`],
  [/((?:^|\s)-u\s+[^\s:]{1,100}:)[^\s"']+/g, `$1${redacted}`],
  // Tokens of GitHub, GitLab, npm, Docker, Slack, Hugging Face and Stripe, and keys of AWS have fixed prefixes.
  [new RegExp(`${start}(?:(?:gh[a-z]|github_pat|npm|dckr_pat)_|glpat-)[\\w-]{8,}`, 'gi'), redacted],
  [new RegExp(`${start}(?:[sr]k_(?:live|test)_\\w{8,}|hf_[a-z\\d]{16,})`, 'gi'), redacted],
  [new RegExp(`${start}xox[a-z]-[\\w-]{8,}`, 'gi'), redacted],
  [new RegExp(`${start}(?:AKIA|ASIA)\\w{12,}`, 'g'), redacted],
  // A signed token or a registration, or its beginning: both start as JSON does, in base64.
  [new RegExp(`${start}eyJ[\\w+/=-]{8,}(\\.[\\w-]*)*`, 'g'), redacted],
];

/** Returns the text with all suspected secrets redacted. */
export function withoutSecrets(text: string): string {
  const keyless = text.replace(restOfPrivateKey, redacted).replaceAll(privateKey, redacted);
  const named = withoutUsers(keyless.replaceAll(assignment, `$1$2${redacted}`));
  return looks.reduce((rest, [look, instead]) => rest.replaceAll(look, instead), named);
}

/**
 * Redacts user and password in URLs: vnc://user:password@host. The password may contain a slash or an at sign. A
 * single pattern that ends at the last at sign would rescan a text with many URLs.
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
