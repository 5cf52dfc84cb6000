/** The log never prints a secret, never splits a line, and never ends the process. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FleetError } from '../errors/fleet-error.ts';
import type { LogFields, Logger, LogLevel } from '../logger.ts';
import { Secret } from '../secret.ts';
import { pinoLogger } from './pino-logger.ts';

const now = Date.UTC(2026, 2, 1);

function harness(level: LogLevel = 'debug') {
  const written: string[] = [];
  const clock = { now: () => now, after: () => () => undefined };
  const logger = pinoLogger({ clock, level, lines: { write: (line) => void written.push(line) } });
  return { logger, text: () => written.join(''), last: (): unknown => JSON.parse(written.at(-1) ?? '') };
}

function logged(message: string, fields?: LogFields): unknown {
  const { logger, last } = harness();
  logger.info(message, fields);
  return last();
}

describe('a line', () => {
  it('contains time, level, message and fields', () => {
    expect(logged('host adopted', { host: 'mini-1', tries: 2 })).toEqual({
      level: 'info',
      time: '2026-03-01T00:00:00.000Z',
      message: 'host adopted',
      host: 'mini-1',
      tries: 2,
    });
  });

  it('of a child has its fields, and the newest value of each name', () => {
    const { logger, text } = harness();
    logger.child({ controller: 'sweep', key: 'a' }).child({ key: 'b' }).warn('late', { key: 'c' });
    expect(text()).toBe(
      '{"level":"warn","time":"2026-03-01T00:00:00.000Z","controller":"sweep","key":"c","message":"late"}\n',
    );
  });

  it.for([
    ['debug', 5],
    ['info', 4],
    ['warn', 3],
    ['error', 2],
    ['fatal', 1],
  ] as const)('below the level %s is not written', ([level, count]) => {
    const { logger, text } = harness(level);
    for (const each of ['debug', 'info', 'warn', 'error', 'fatal'] as const) logger[each]('line');
    expect(text().trim().split('\n')).toHaveLength(count);
  });

  it('contains the kind, the reason and every cause of an error', () => {
    const socket = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', request: { body: 'x' } });
    const cause = new FleetError(
      'unavailable',
      { reason: 'AnswerLost', message: 'GET /x' },
      { cause: socket },
    );
    const error = new FleetError(
      'notYet',
      { reason: 'BillingFloor', message: 'too early' },
      { cause, retryAt: 7 },
    );
    expect(logged('failed', { error })).toMatchObject({
      error: {
        name: 'FleetError',
        kind: 'notYet',
        reason: 'BillingFloor',
        message: 'too early',
        retryAt: 7,
        cause: {
          kind: 'unavailable',
          reason: 'AnswerLost',
          message: 'GET /x',
          cause: { message: 'socket hang up', code: 'ECONNRESET' },
        },
      },
    });
    expect(JSON.stringify(logged('failed', { error }))).not.toContain('"request"');
  });
});

const canary = 'cAnary7f3a';
const url = `vnc://admin:${canary}@192.0.2.1:5900`;
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${canary}\n-----END RSA PRIVATE KEY-----`;
const jwt = `eyJhbGciOiJub25lIn0.${canary}.sig`;

/** Each puts the canary into another place. */
const leaks: Readonly<Record<string, (logger: Logger) => void>> = {
  'a Secret in the message': (logger) => logger.info(`with ${String(new Secret(canary))}`),
  'a Secret as a field': (logger) => logger.info('x', { found: new Secret(canary) }),
  'a Secret deep in an object': (logger) =>
    logger.info('x', { a: [{ b: new Map([['c', new Secret(canary)]]) }] }),
  'a Secret in a set': (logger) => logger.info('x', { all: new Set([new Secret(canary)]) }),
  'a Secret of a child': (logger) => logger.child({ as: new Secret(canary) }).info('x'),
  'a Secret as the cause of an error': (logger) =>
    logger.error('x', { error: new Error('y', { cause: new Secret(canary) }) }),
  'a named field of a child': (logger) => logger.child({ sudo_password: canary }).info('x'),
  'a header map': (logger) =>
    logger.info('x', { headers: new Headers({ Authorization: `Bearer ${canary}` }) }),
  'a token of GitHub': (logger) => logger.info(`remote: ghp_${canary}${canary}`),
  'an option of a command': (logger) =>
    logger.info(`ran tool --password ${canary} and curl -u me:${canary} x`),
  'JSON within JSON': (logger) => logger.info('x', { body: JSON.stringify(`{"password":"${canary}"}`) }),
  'an encoded parameter': (logger) => logger.info(`at https://a.example/?to=%3Ftoken%3D${canary}`),
  'a URL with a slash in its password': (logger) => logger.info(`vnc://me:a/${canary}@b@192.0.2.1`),
  'short names': (logger) => logger.info('x', { pass: canary, pwd: canary, auth: canary }),
  'the data of a Secret of Kubernetes': (logger) =>
    logger.info('x', { object: { kind: 'Secret', data: { 'tls.key': canary } } }),
  'a cookie header': (logger) => logger.info('x', { headers: { 'Set-Cookie': canary } }),
  'a list of header pairs': (logger) => logger.info('x', { headers: [['X-Auth-Token', canary]] }),
  'a flat list of headers': (logger) =>
    logger.info('x', { rawHeaders: ['host', 'a', 'X-Auth-Token', canary] }),
  'an object below a secret name': (logger) =>
    logger.info('x', { credentials: { user: 'me', pass: canary } }),
  'the query of a URL': (logger) =>
    logger.info('x', { url: new URL(`https://a.example/?access_token=${canary}`) }),
  'the user of a URL': (logger) => logger.info(`connecting to ${url}`),
  'parameters of a URL': (logger) => logger.info('x', { query: new URLSearchParams({ token: canary }) }),
  'the message of an error': (logger) => logger.error('x', { error: new Error(`401 for Bearer ${canary}`) }),
  'a header in a text': (logger) => logger.error(`sent Authorization: Basic ${canary}`),
  'a header value in a text': (logger) => logger.error(`sent Basic ${canary}`),
  'the cause of a cause': (logger) => {
    const cause = new Error('b', { cause: new Error(`password=${canary}`) });
    logger.error('x', { error: new FleetError('rejected', { reason: 'Invalid', message: 'a' }, { cause }) });
  },
  'one of many errors': (logger) =>
    logger.error('x', { error: new AggregateError([new Error(`token: ${canary}`)]) }),
  'an error with a request on it': (logger) =>
    logger.error('x', { error: Object.assign(new Error('a'), { options: { body: canary } }) }),
  'a private key': (logger) => logger.info(`read key: ${pem}`),
  'half a private key': (logger) => logger.info('x', { read: pem.slice(0, 60) }),
  'a signed token': (logger) => logger.info('x', { said: `got ${jwt}` }),
  'JSON in a text': (logger) => logger.info(`body {"sudo_password":"${canary}","vnc_url":"${url}"}`),
  'JSON with spaces': (logger) => logger.info(`body { "password" : "two ${canary}" }`),
  'a buffer': (logger) => logger.info('x', { body: Buffer.from(canary) }),
  'a function': (logger) => logger.info('x', { callback: () => 'cAnary7f3a' }),
  'a name of a field': (logger) => logger.info('x', { [`token=${canary}`]: 1 }),
  ...Object.fromEntries(
    [
      'authorization',
      'Token',
      'refresh_token',
      'password',
      'sudoPassword',
      'vnc_url',
      'privateKey',
      'private-key',
    ]
      .concat(['client-key-data', 'apiKey', 'SECRET_KEY', 'webhookSecret', 'encoded_jit_config', 'cookie'])
      .map((name) => [
        `a field ${name}`,
        (logger: Logger) => logger.info('x', { deep: [{ [name]: canary }] }),
      ]),
  ),
};

describe('a secret never reaches the log', () => {
  it.for(Object.entries(leaks))('from %s', ([, leak]) => {
    const { logger, text } = harness();
    leak(logger);
    expect(text()).not.toBe('');
    expect(text()).not.toMatch(/cAnary/i);
  });

  it('except that its place, or its absence, is printed', () => {
    expect(logged('x', { tokenFile: '/run/token', secretName: 'papers', password: undefined })).toMatchObject(
      {
        tokenFile: '/run/token',
        secretName: 'papers',
        password: null,
      },
    );
  });

  it('and sentences stay readable', () => {
    const message = 'NoCredentials: the token file /run/token is empty; basic checks: 3 of 4';
    expect(logged(message)).toMatchObject({ message });
  });
});

describe('external text cannot forge a log line', () => {
  const forged = 'a\r\n{"level":"fatal","message":"all is lost"}\u2028\u001b[2K\u009b1A\u202e';

  it.for([
    ['the message', (logger: Logger) => logger.info(forged)],
    ['a field', (logger: Logger) => logger.info('x', { name: forged })],
    ['the name of a field', (logger: Logger) => logger.info('x', { [forged]: 1 })],
    ['an error', (logger: Logger) => logger.info('x', { error: new Error(forged) })],
    ['a child', (logger: Logger) => logger.child({ name: forged }).info('x')],
  ] as const)('from %s', ([, write]) => {
    const { logger, text } = harness();
    write(logger);
    expect(text().match(/[\n\r\u2028]/g)).toEqual(['\n']);
    for (const sign of ['\u001b', '\u009b', '\u202e', '\\u001b']) expect(text()).not.toContain(sign);
    expect(JSON.parse(text())).toMatchObject({ level: 'info' });
  });

  it('control characters are escaped, so that they are harmless after JSON decoding', () => {
    expect(logged('red \u001b[31m')).toMatchObject({ message: String.raw`red \u{1b}[31m` });
  });

  it('fields cannot replace the level, the time or the message', () => {
    const { logger, text } = harness();
    logger.info('x', { level: 'fatal', time: 1, message: 'y' });
    expect(text()).toBe(
      '{"level":"info","time":"2026-03-01T00:00:00.000Z","level_":"fatal","time_":1,"message_":"y","message":"x"}\n',
    );
  });

  it('every log entry is one line of JSON', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.dictionary(fc.string(), fc.anything()),
        (message, fields) => {
          const { logger, text } = harness();
          logger.info(message, fields);
          expect(text().split('\n')).toHaveLength(2);
          expect(JSON.parse(text())).toMatchObject({ level: 'info', time: '2026-03-01T00:00:00.000Z' });
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('no logged value harms the process', () => {
  it('cycles, depth, many items, long texts, numbers outside of JSON', () => {
    const ring: Record<string, unknown> = {};
    ring['self'] = ring;
    let deep: unknown = 'bottom';
    for (let level = 0; level < 50; level += 1) deep = { deep };
    const line = JSON.stringify(
      logged('x', {
        ring,
        deep,
        many: Array.from({ length: 500 }, () => 1),
        long: 'x'.repeat(100_000),
        nan: NaN,
        big: 7n,
      }),
    );
    expect(logged('x', { body: Buffer.from('abc') })).toMatchObject({ body: '[3 bytes]' });
    for (const part of ['[circular]', '[deep]', '400 more', '100000 characters', '"NaN"', '"7"'])
      expect(line).toContain(part);
    expect(line.length).toBeLessThan(12_000);
  });

  it('a getter that throws', () => {
    const rude = {
      get name(): string {
        throw new Error('no');
      },
    };
    expect(logged('x', { rude, fine: 1 })).toMatchObject({ rude: '[unreadable]', fine: 1 });
    expect(logged('x', rude)).toMatchObject({ fields: '[unreadable]' });
  });
});
