/** Which secrets are removed from external text, such as the log of a job, and which text stays. */
import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './secret-words.ts';

const canary = 'cAnary7f3a';
const registration = Buffer.from(JSON.stringify({ url: '???>>>', canary })).toString('base64');

describe('a text holds no canary', () => {
  it.for([
    ['after --jitconfig', `./run.sh --jitconfig ${canary}`],
    ['after --jitconfig and a sign', `./run.sh --jitconfig=${canary}`],
    ['after --token', `./config.sh --token ${canary}`],
    ['after --pat', `./config.sh --pat ${canary}`],
    ['after --api-key', `tool --api-key ${canary}`],
    ['after --pwd', `tool --pwd ${canary}`],
    ['after --password in quotes', `tool --password "two ${canary}"`],
    ['after token', `using token ${canary} for the registry`],
    ['after Authorization: token', `> Authorization: token ${canary}`],
    ['after pass:', `user: admin, pass: ${canary}`],
    ['after pwd=', `pwd=${canary}`],
    ['after a variable that ends in PASS', `export DB_PASS=${canary}`],
    ['after a variable that ends in PWD', `MYSQL_PWD='${canary} x'`],
    ['after pass as JSON', `{"pass":"${canary}"}`],
    ['as a key of AWS', `AKIA${canary.toUpperCase()}ABCDEF`.replace('7F3A', canary)],
    ['as a token of npm', `npm_${canary}${canary}`],
    ['as a token of GitLab', `glpat-${canary}${canary}`],
    ['as a token of Slack', `xoxb-12345-${canary}`],
    [
      'at the end of a private key whose beginning was cut off',
      `${canary}/x+\nAbc\n-----END RSA PRIVATE KEY-----`,
    ],
    ['after a variable with PASS in the middle', `DB_PASS_PROD=${canary}`],
    ['after a variable with TOKEN in the middle', `MY_TOKEN_2=${canary}`],
    ['after a variable with SECRET in the middle', `export SECRET_PROD: ${canary}`],
    ['after password and a space', `the login uses password ${canary}`],
    ['after secret and a space', `secret ${canary}`],
    ['after --jitconfig and a tab', `./run.sh --jitconfig\t${canary}`],
    ['in a list of JSON', `{"token": ["${canary}"]}`],
    ['later in a list of JSON', `{"tokens": ["other", "${canary}"]}`],
    ['in a list of YAML', `tokens: [other, ${canary}]`],
    ['in a netrc', `machine example.com login me password ${canary}`],
    ['in quotes that are never closed', `password="two ${canary} words`],
    ['in single quotes that are never closed', `password='two ${canary} words`],
    ['in quotes of an option that are never closed', `tool --password "two ${canary} words`],
    ['behind a sign with color codes before', `password\u001B[0m=\u001B[31m${canary}`],
    ['behind a sign with color codes without their escape', `password [0m= [31m${canary}`],
    ['behind a name in color codes', `\u001B[1mpassword\u001B[22m: ${canary}`],
    ['as a token in color', `[31mghp_${canary}${canary}[0m`],
    ['as a key of Stripe', `sk_live_${canary}${canary}`],
    ['as a key of Docker', `dckr_pat_${canary}-${canary}`],
    ['as a key of Hugging Face', `hf_${canary}${canary}`],
    ['as a personal token of GitHub', `ghp_${canary}${canary}`],
    ['as a token of a GitHub App', `x_ghs_${canary}${canary}`],
    ['as a fine-grained token of GitHub', `my-github_pat_11AB_${canary}${canary}`],
    ['as a token of GitLab in a name', `x_glpat-${canary}${canary}`],
    ['as a signed token', `got_eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.${canary}${canary}`],
    ['as a signed token in color', `\u001B[31meyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.${canary}`],
    ['in a URL with a long user', `https://${'u'.repeat(200)}:${canary}@example.com`],
  ])('%s', ([, text]) => {
    expect(withoutSecrets(text ?? '')).not.toContain(canary);
  });

  it('nor the rest of a registration after a base64 sign', () => {
    const text = `${registration.slice(0, 12)}+/${canary}=`;
    expect(withoutSecrets(`got ${text} here`)).toBe('got [secret] here');
    expect(withoutSecrets(`got ${registration} here`)).toBe('got [secret] here');
  });
});

it.for([
  'the token expired; a token for dispatch was made',
  'bypass: yes, compass: north, trespass=no',
  'npm test passes, 3 of 4 pass',
  '--token-file /run/token is empty',
  'tokens 3 of 4',
  'the token of the ServiceAccount expired',
  'the password was changed, and the secret is not known',
  'reading secret runners/github failed',
  'a token was signed, a password has expired, the secrets are mounted',
  'secret not found; password required; token invalid',
  'pass_rate=3 passed=4 compass_north: 5 tokens_per_second=9',
  'hf_ and sk_live_ are prefixes; the shell_hf_x',
  'see https://example.com/a and user@example.com',
])('a sentence is unchanged: %s', (sentence) => {
  expect(withoutSecrets(sentence)).toBe(sentence);
});

/** Each shape would make a naive pattern rescan the rest of the text. */
const shapes = [
  'a://',
  'token ',
  '-u x',
  'eyJ-',
  '--pass',
  'password="',
  '-----BEGIN ',
  'AKIA',
  'Basic ',
  'A',
  ' ',
  'password ',
  'secret\t',
  'password=[',
  'token: [x, ',
  'token',
  '_token_',
  'DB_PASS_',
  'password\u001B[0m',
  'password [0m ',
  'sk_live_',
  'hf_',
  "token '",
  'password=[\n',
  'password="\n',
  'login x ',
  'password [1m',
];

it.for(shapes)('a fourfold text takes less than sixteen times the work: %j', (shape) => {
  expect(work(shape, 80_000)).toBeLessThan(10 * Math.max(work(shape, 20_000), 2000));
});

/** The least CPU time of several runs, in microseconds. */
function work(shape: string, length: number): number {
  const text = shape.repeat(length / shape.length);
  const runs = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    withoutSecrets(text);
    return process.cpuUsage(before).user;
  });
  return Math.min(...runs);
}
