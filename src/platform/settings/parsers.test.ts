/** What each parser takes, and what it says of the rest. */
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
  ] as const)('the address %s is understood', async ([given, expected]) => {
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
  ])('the address %j is refused', async (given) => {
    expect(await fault(address, given)).toMatch(/that is (no host with a port|more than 65535)/);
  });

  const few = wholeNumber({ min: 1, max: 100 });
  it.for([
    ['0', 'that is less than 1'],
    ['-1', 'that is less than 1'],
    ['101', 'that is more than 100'],
    ['1e2', 'that is no whole number'],
    ['1.0', 'that is no whole number'],
    ['0x10', 'that is no whole number'],
    ['007', 'that is no whole number'],
    ['', 'that is no whole number'],
  ] as const)('the number %j is refused: %s', async ([given, why]) => {
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

  it('a list that must not be empty is refused when all of its elements are', async () => {
    expect(await read(notEmpty(list(text)), 'a,')).toEqual(['a']);
    expect(await fault(notEmpty(list(text)), ' ,')).toBe('the list is empty');
  });

  it('nothing, where that is allowed, is as if it were not given', async () => {
    expect([await read(orNothing(few), ''), await read(orNothing(few), '7')]).toEqual([undefined, 7]);
    expect(await fault(orNothing(few), 'x')).toBe('that is no whole number');
  });

  it('each element of a list is looked at', async () => {
    expect(await read(list(few), '3, 1,2')).toEqual([3, 1, 2]);
    expect(await fault(list(few), '1,x')).toBe('that is no whole number');
  });

  it.for([
    ['/empty', 'the file is empty'],
    ['/two', 'the file has more than one line'],
    ['/none', 'the file cannot be read (ENOENT)'],
    ['', 'it is empty'],
  ] as const)('the secret file %j is refused: %s', async ([given, why]) => {
    expect(await fault(secretFile, given)).toBe(why);
  });

  it('only the newline at its end is no part of a secret', async () => {
    expect((await read(secretFile, '/padded')).reveal()).toBe(' a ');
  });

  it('prices go by type', async () => {
    expect(await read(prices, 'M2-M=4.35, M1-M=2')).toEqual(
      new Map([
        ['M2-M', 4.35],
        ['M1-M', 2],
      ]),
    );
  });

  it.for([
    ['', '"" is no type with a price'],
    ['M2-M', '"M2-M" is no type with a price'],
    ['M2-M=-1', '"M2-M=-1" is no type with a price'],
    ['M2-M=4,35', '"35" is no type with a price'],
    ['M2-M=1,M2-M=2', 'M2-M has two prices'],
  ] as const)('the prices %j are refused: %s', async ([given, why]) => {
    expect(await fault(prices, given)).toBe(why);
  });

  it('a word must be one of those there are', async () => {
    const level = oneOf(['info', 'warn']);
    expect(await read(level, 'warn')).toBe('warn');
    expect(await fault(level, 'Warn')).toBe('there is no such word');
  });

  it.for(['', ' ', ' a', 'a\n'])('the path %j is refused', async (given) => {
    expect(await fault(file, given)).toMatch(/it is empty|it begins or ends with a space/);
  });
});

describe('addresses of networks', () => {
  it.for([
    [':8080', { host: '0.0.0.0', port: 8080 }],
    ['127.0.0.1:8081', { host: '127.0.0.1', port: 8081 }],
    ['0', undefined],
  ] as const)('the older way to say where to listen, %s, is understood', async ([given, expected]) => {
    expect(await read(olderListenAddress, given)).toEqual(expected);
  });

  it.for([
    [olderListenAddress, '8080', 'that is no host with a port'],
    [url, 'ftp://a', 'that is no such address'],
    [url, 'a', 'that is no such address'],
    [ip, '10.0.0.256', 'that is no IP address'],
    [cidr, '10.0.0.0', 'that is no network'],
    [cidr, '10.0.0.0/33', 'that is no network'],
    [cidr, 'a/8', 'that is no network'],
    [toggle, 'yes', 'that is neither'],
  ] as const)('%# %s is refused', async ([parser, given, why]) => {
    const any: Parser<unknown> = parser;
    expect(await fault(any, given)).toBe(why);
  });

  it.for([
    [url, 'https://10.0.0.1:6443'],
    [ip, 'fd00::1'],
    [cidr, '10.0.0.0/16'],
    [cidr, 'fd00::/64'],
  ] as const)('%# %s is taken as it is', async ([parser, given]) => {
    expect(await read(parser, given)).toBe(given);
  });
});

describe('an address at which a token is shown', () => {
  const parse = (given: string): unknown => guardedUrl.parse(given, ports);

  it.for(['http://a.b.svc.fleet.example', 'http://a.b.svc.fleet.example:8090/path'])(
    'may be %s where that is the domain of the cluster, by flag or by variable',
    async (given) => {
      const table = { sessionsUrl: optional(guardedUrl, 'help'), clusterDomain: optional(text, 'help') };
      const flags = { sessionsUrl: [given] };
      const byFlag = { flags: { ...flags, clusterDomain: ['Fleet.example'] }, env: {} };
      const byVariable = { flags, env: { MUSTER_CLUSTER_DOMAIN: 'fleet.example' } };
      for (const beside of [byFlag, byVariable])
        expect((await readSettings(table, beside, ports)).sessionsUrl).toBe(given);
      const other = { flags: { ...flags, clusterDomain: ['example'] }, env: {} };
      await expect(readSettings(table, other, ports)).rejects.toThrow('may lead out of the cluster');
    },
  );

  it('is refused with what to do where it ends with a domain that may be that of the cluster', () => {
    expect(() => parse('http://a.b.svc.fleet.example:8090')).toThrow(
      'may lead out of the cluster (for a Service of this cluster give http://a.b.svc, or name its domain: --cluster-domain fleet.example)',
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
    expect(() => parse(given)).toThrow(/that address may lead out|no such address/);
  });
});
