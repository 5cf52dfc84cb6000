/** The values that each parser accepts, and its errors. */
import { describe, expect, it } from 'vitest';
import { fault, ports, read } from '../../../lab/harness/settings-harness.ts';
import { cidr, guardedUrl, ip, olderListenAddress, url } from './network-parsers.ts';
import {
  address,
  file,
  list,
  notEmpty,
  oneOf,
  orNothing,
  prices,
  secretFile,
  text,
  toggle,
  wholeNumber,
} from './parsers.ts';
import { readSettings } from './read-settings.ts';
import { optional, type Parser } from './setting.ts';

describe('other values', () => {
  it.for([
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ] as const)('the address %s is accepted', async ([given, expected]) => {
    expect(await read(address, given)).toEqual(expected);
  });

  it.for([
    '8080',
    ':8080',
    '127.0.0.1',
    '127.0.0.1:',
    '127.0.0.1:65536',
    '127.0.0.1:080',
    '::1:80',
    'a b:80',
    'http://a:80',
    '',
  ])('the address %j is rejected', async (given) => {
    expect(await fault(address, given)).toMatch(/the value is (not a host with a port|more than 65535)/);
  });

  const few = wholeNumber({ min: 1, max: 100 });
  it.for([
    ['0', 'the value is less than 1'],
    ['-1', 'the value is less than 1'],
    ['101', 'the value is more than 100'],
    ['1e2', 'the value is not a whole number'],
    ['1.0', 'the value is not a whole number'],
    ['0x10', 'the value is not a whole number'],
    ['007', 'the value is not a whole number'],
    ['', 'the value is not a whole number'],
  ] as const)('the number %j is rejected: %s', async ([given, why]) => {
    expect([await read(few, '100'), await fault(few, given)]).toEqual([100, why]);
  });

  it.for([
    ['', []],
    [' , ', []],
    ['a,', ['a']],
    ['a, ,b', ['a', 'b']],
    ['a,b, a', ['a', 'b']],
  ] as const)('the list %j is %j', async ([given, parts]) => {
    expect(await read(list(text), given)).toEqual(parts);
  });

  it('a non-empty list of blank elements is rejected', async () => {
    expect(await read(notEmpty(list(text)), 'a,')).toEqual(['a']);
    expect(await fault(notEmpty(list(text)), ' ,')).toBe('the list is empty');
  });

  it('an allowed empty value counts as unset', async () => {
    expect([await read(orNothing(few), ''), await read(orNothing(few), '7')]).toEqual([undefined, 7]);
    expect(await fault(orNothing(few), 'x')).toBe('the value is not a whole number');
  });

  it('each element of a list is parsed', async () => {
    expect(await read(list(few), '3, 1,2')).toEqual([3, 1, 2]);
    expect(await fault(list(few), '1,x')).toBe('the value is not a whole number');
  });

  it.for([
    ['/empty', 'the file is empty'],
    ['/two', 'the file has more than one line'],
    ['/none', 'the file cannot be read (ENOENT)'],
    ['', 'the value is empty'],
  ] as const)('the secret file %j is rejected: %s', async ([given, why]) => {
    expect(await fault(secretFile, given)).toBe(why);
  });

  it('a secret loses only its trailing newline', async () => {
    expect((await read(secretFile, '/padded')).reveal()).toBe(' a ');
  });

  it('prices are parsed by type', async () => {
    expect(await read(prices, 'M2-M=4.35, M1-M=2')).toEqual(
      new Map([
        ['M2-M', 4.35],
        ['M1-M', 2],
      ]),
    );
  });

  it.for([
    ['', '"" is not a type with a price'],
    ['M2-M', '"M2-M" is not a type with a price'],
    ['M2-M=-1', '"M2-M=-1" is not a type with a price'],
    ['M2-M=4,35', '"35" is not a type with a price'],
    ['M2-M=1,M2-M=2', 'M2-M has two prices'],
  ] as const)('the prices %j are rejected: %s', async ([given, why]) => {
    expect(await fault(prices, given)).toBe(why);
  });

  it('a word must be in the list', async () => {
    const level = oneOf(['info', 'warn']);
    expect(await read(level, 'warn')).toBe('warn');
    expect(await fault(level, 'Warn')).toBe('the value is not in the list');
  });

  it.for(['', ' ', ' a', 'a\n'])('the path %j is rejected', async (given) => {
    expect(await fault(file, given)).toMatch(/the value (is empty|begins or ends with a space)/);
  });
});

describe('addresses of networks', () => {
  it.for([
    [':8080', { host: '0.0.0.0', port: 8080 }],
    ['127.0.0.1:8081', { host: '127.0.0.1', port: 8081 }],
    ['0', undefined],
  ] as const)('the older form of a listen address, %s, is accepted', async ([given, expected]) => {
    expect(await read(olderListenAddress, given)).toEqual(expected);
  });

  it.for([
    [olderListenAddress, '8080', 'the value is not a host with a port'],
    [url, 'ftp://a', 'the value is not an http:// or https:// address'],
    [url, 'a', 'the value is not an http:// or https:// address'],
    [ip, '10.0.0.256', 'the value is not an IP address'],
    [cidr, '10.0.0.0', 'the value is not a network'],
    [cidr, '10.0.0.0/33', 'the value is not a network'],
    [cidr, 'a/8', 'the value is not a network'],
    [toggle, 'yes', 'the value is neither'],
  ] as const)('%# %s is rejected', async ([parser, given, why]) => {
    const any: Parser<unknown> = parser;
    expect(await fault(any, given)).toBe(why);
  });

  it.for([
    [url, 'https://10.0.0.1:6443'],
    [ip, 'fd00::1'],
    [cidr, '10.0.0.0/16'],
    [cidr, 'fd00::/64'],
  ] as const)('%# %s is accepted unchanged', async ([parser, given]) => {
    expect(await read(parser, given)).toBe(given);
  });
});

describe('an address that gets a token', () => {
  const parse = (given: string): unknown => guardedUrl.parse(given, ports);

  it.for(['http://a.b.svc.fleet.example', 'http://a.b.svc.fleet.example:8090/path'])(
    'may be %s if the cluster domain is set, by flag or by variable',
    async (given) => {
      const table = { sessionsUrl: optional(guardedUrl, 'help'), clusterDomain: optional(text, 'help') };
      const flags = { sessionsUrl: [given] };
      const byFlag = { flags: { ...flags, clusterDomain: ['Fleet.example'] }, env: {} };
      const byVariable = { flags, env: { MUSTER_CLUSTER_DOMAIN: 'fleet.example' } };
      for (const beside of [byFlag, byVariable])
        expect((await readSettings(table, beside, ports)).sessionsUrl).toBe(given);
      const other = { flags: { ...flags, clusterDomain: ['example'] }, env: {} };
      await expect(readSettings(table, other, ports)).rejects.toThrow('requests may leave the cluster');
    },
  );

  it('is rejected with advice if it ends with a possible cluster domain', () => {
    expect(() => parse('http://a.b.svc.fleet.example:8090')).toThrow(
      'requests may leave the cluster (for a Service of this cluster use http://a.b.svc, or set its domain: --cluster-domain fleet.example)',
    );
  });

  it.for([
    'https://dispatch.example.com',
    'http://ci-muster-dispatch.fleet.svc',
    'http://ci-muster-dispatch.fleet.svc.cluster.local:8090/path',
    'http://dispatch',
    'http://127.0.0.1:8090',
    'http://localhost:8090',
    'http://[::1]:8090',
  ])('may be %s', (given) => {
    expect(parse(given)).toBe(given);
  });

  it.for([
    'http://dispatch.example.com',
    'http://a.b.svc.example.com',
    'http://b.svc',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'ftp://dispatch',
    'dispatch',
  ])('may not be %s', (given) => {
    expect(() => parse(given)).toThrow(/requests may leave the cluster|not an http/);
  });
});
