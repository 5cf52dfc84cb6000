/** What is taken out of a text from outside, such as the log of a job, and what stays readable. */
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
    ['in a URL with a long user', `https://${'u'.repeat(200)}:${canary}@example.com`],
  ])('%s', ([, text]) => {
    expect(withoutSecrets(text ?? '')).not.toContain(canary);
  });

  it('nor the rest of a registration behind a sign of base64', () => {
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
  'see https://example.com/a and user@example.com',
])('a sentence stays as it is: %s', (sentence) => {
  expect(withoutSecrets(sentence)).toBe(sentence);
});

/** Each would make a pattern look through the rest of the text again and again. */
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
];

it.for(shapes)('four times the text takes no sixteen times the work, however often it says %j', (shape) => {
  expect(work(shape, 80_000)).toBeLessThan(10 * Math.max(work(shape, 20_000), 2000));
});

/** In microseconds of the processor, the least of some. */
function work(shape: string, length: number): number {
  const text = shape.repeat(length / shape.length);
  const runs = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    withoutSecrets(text);
    return process.cpuUsage(before).user;
  });
  return Math.min(...runs);
}
