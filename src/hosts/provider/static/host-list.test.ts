/** Which lists of owned Macs are accepted, and the errors of the others. */
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Secret } from '../../../platform/secret.ts';
import { readHostList } from './host-list.ts';

const first = {
  id: '00000001-1111-4222-8333-444444444444',
  zone: 'office-1',
  name: 'pool-1',
  type: 'M2-L',
  address: '192.0.2.1',
  os: 'macos-golden-gate-26.3.1',
  sshUsername: 'admin',
};
const second = { ...first, id: first.id.replace('1', '2'), name: 'pool-2', address: '2001:db8::2' };
const addressless = { ...second, address: undefined };

function read(text: string) {
  return readHostList({ text, place: 'the list', passwordOf: (id) => new Secret(`of ${id}`) });
}

function problemOf(text: string): unknown {
  try {
    return read(text);
  } catch (error) {
    return error;
  }
}

it('each entry becomes a host, with the image that a wipe installs', () => {
  const hosts = read(stringify({ hosts: [first, second] }));
  expect(hosts.map(({ ip }) => ip)).toEqual(['192.0.2.1', '2001:db8::2']);
  expect(hosts[0]).toMatchObject({
    id: first.id,
    zone: 'office-1',
    name: 'pool-1',
    os: { id: first.os, name: first.os, family: 'golden-gate', version: '26.3.1', isBeta: false },
  });
  expect(hosts[0]?.sudoPassword?.reveal()).toBe(`of ${first.id}`);
});

it.for([
  [
    'the same id',
    { ...second, id: first.id },
    `entry 2 (id ${first.id}, name pool-2): entry 1 has the same id`,
  ],
  ['the same address', { ...second, address: first.address }, 'entry 1 has the same address'],
  ['no address', addressless, `entry 2 (id ${second.id}, name pool-2): address is missing`],
  ['a loopback address', { ...second, address: '127.0.0.1' }, 'address must be the IP address of the Mac'],
  ['a name as address', { ...second, address: 'mini.local' }, 'address must be the IP address of the Mac'],
  ['an unknown field', { ...second, adress: '192.0.2.2' }, 'unknown field adress'],
  [
    'an id that is no uuid',
    { ...second, id: 'mini-2' },
    'entry 2 (id mini-2, name pool-2): id: not a lower-case uuid',
  ],
  ['a zone with a slash', { ...second, zone: 'a/b' }, 'zone: not lower-case letters'],
  ['a name that is an option', { ...second, name: '-rf' }, 'name must be letters'],
  ['a user with a command', { ...second, sshUsername: '$(id)' }, 'sshUsername must be letters'],
  ['an image without a release', { ...second, os: 'Tahoe' }, 'os must be the image that a wipe installs'],
  ['nothing in it', null, 'entry 2: the entry must be an object'],
] as const)(
  'a list with an entry that has %s is rejected, and the error names the entry',
  ([, entry, message]) => {
    expect(problemOf(stringify({ hosts: [first, entry] }))).toMatchObject({
      kind: 'unavailable',
      reason: 'HostListUnusable',
      message: expect.stringContaining(message),
    });
  },
);

it('reports all problems at once, up to a limit', () => {
  const bad = { ...addressless, os: 'x' };
  const message = String(problemOf(stringify({ hosts: [bad, bad] })));
  expect(message).toContain('entry 1 (id 00000002-1111-4222-8333-444444444444, name pool-2): os');
  expect(message).toContain('entry 2 (id 00000002-1111-4222-8333-444444444444, name pool-2): address');
  expect(String(problemOf(stringify({ hosts: Array.from({ length: 50 }, () => bad) })))).toContain('more');
});

it.for([
  ['', 'the list must have one field, hosts'],
  ['hosts: []', 'the list is empty'],
  ['hosts: 3', 'the list must have one field, hosts'],
  ['- id: x', 'the list must have one field, hosts'],
  ['hosts: [\n', 'invalid YAML'],
  ['hosts: *nowhere', 'invalid YAML'],
  ['hosts: []\nhosts: []', 'invalid YAML'],
] as const)('rejects %j as a list, instead of reading it as no hosts', ([text, message]) => {
  expect(problemOf(text)).toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(new RegExp(`^the list is rejected: ${message}`)),
  });
});
