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

/** First of all, for it has several lines and looks like a value that ends at a space. */
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g;

const value = `\\\\"[^"]*"|"[^"]*"|'[^']*'|(?:(?:Bearer|Basic|Digest|Token)\\s+)?[^\\s&;,"']+`;
const name = `(?:${anywhere.replaceAll('_', '[-_]')})[\\w-]{0,20}|(?:${atTheEnd})s?`;
/** `token=…`, `"password": "…"`, `Authorization: Basic …`: a name, a sign, a value. */
const assignment = new RegExp(`(${name})(\\\\?["']?\\s*(?:[=:]|%3D)\\s*)(?:${value})`, 'gi');

const looks: readonly (readonly [RegExp, string])[] = [
  [/\bBearer\s+[^\s"',]+/gi, `Bearer ${redacted}`],
  // Not "basic training": base64 has a capital letter, a digit or a sign somewhere.
  [/\bBasic\s+(?=[a-z]*[A-Z\d+/=])[\w+/=-]{6,}/g, `Basic ${redacted}`],
  // A URL that carries a password: vnc://user:password@host. The password itself may have a slash or an at sign in it.
  [/(\b[a-z][a-z\d+.-]{0,20}:\/\/)[^\s"']*@/gi, `$1${redacted}@`],
  // On a command line: --password x, -u user:x.
  [/(--?(?:pass\w*|token|secret)[ =]+)[^\s"']+/gi, `$1${redacted}`],
  [/((?:^|\s)-u\s+[^\s:]{1,100}:)[^\s"']+/g, `$1${redacted}`],
  // Tokens of GitHub say what they are.
  [/\b(?:gh[a-z]|github_pat)_\w{8,}/g, redacted],
  // A signed token, or the beginning of one that was cut off: it starts as JSON does, in base64.
  [/\beyJ[\w-]{8,}(\.[\w-]*)*/g, redacted],
];

/** The text without what looks like a secret. */
export function withoutSecrets(text: string): string {
  const named = text.replaceAll(privateKey, redacted).replaceAll(assignment, `$1$2${redacted}`);
  return looks.reduce((rest, [look, instead]) => rest.replaceAll(look, instead), named);
}
