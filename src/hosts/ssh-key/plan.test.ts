import { describe, expect, it } from 'vitest';
import type { SshKey } from '../provider/port.ts';
import { decide, isSameKey, plan, type Observed, type StoredKey } from './plan.ts';

const ours = 'ssh-ed25519 AAAA tuist-capi-runners';
const stored: StoredKey = {
  uid: 'u',
  resourceVersion: '1',
  hasPrivateKey: true,
  publicKey: ours,
  keyId: 'k1',
};
const key = (id: string, publicKey = ours, name = 'runners'): SshKey => ({ id, name, publicKey });

function decided(over: Partial<Observed>): string {
  const { reason, action } = decide({ now: 0, fleet: 'runners', stored, registered: [], ...over });
  if (action === undefined) return reason;
  return [reason, action.kind, 'keyId' in action ? action.keyId : ''].join(' ').trim();
}

describe('the key of a fleet', () => {
  it.for([
    ['there is none', { stored: undefined }, 'KeyMade make'],
    [
      'there is none, but the provider has a key of this name',
      { stored: undefined, registered: [key('k9', 'ssh-ed25519 BBBB')] },
      'KeyMade make',
    ],
    ['the provider has it', { registered: [key('k1')] }, 'KeyRegistered'],
    ['the provider does not have it', {}, 'KeyRegistering register'],
    [
      'the provider has another key of this name',
      { registered: [key('k9', 'ssh-ed25519 BBBB')] },
      'KeyRegistering register',
    ],
    [
      'it is registered under another id than recorded',
      { registered: [key('k2')] },
      'KeyRegistering note k2',
    ],
    [
      'no id is recorded',
      { stored: { ...stored, keyId: undefined }, registered: [key('k2')] },
      'KeyRegistering note k2',
    ],
    [
      'it is registered under another name',
      { registered: [key('k2', ours, 'by-hand')] },
      'KeyRegistering note k2',
    ],
    [
      'a person replaced it: the earlier key is registered, the new key is not',
      { registered: [key('k1', 'ssh-ed25519 OLD')] },
      'KeyRegistering register',
    ],
    [
      'a person replaced it, and the new key is registered too',
      { registered: [key('k1', 'ssh-ed25519 OLD'), key('k2')] },
      'KeyRegistering retire k1',
    ],
    [
      'the recorded id belongs to a foreign key',
      { registered: [key('k1', 'ssh-ed25519 OLD', 'laptop'), key('k2')] },
      'KeyRegistering note k2',
    ],
    ['its private half is missing', { stored: { ...stored, hasPrivateKey: false } }, 'SSHKeyUnavailable'],
    ['its public half is missing', { stored: { ...stored, publicKey: '' } }, 'SSHKeyUnavailable'],
    ['its public half is no key', { stored: { ...stored, publicKey: 'nonsense' } }, 'SSHKeyUnavailable'],
  ] as const)('when %s', ([, over, expected]) => expect(decided(over)).toBe(expected));

  it('of another owner under the same name is reported and left alone', () => {
    const registered = [key('k1'), key('k9', 'ssh-ed25519 BBBB')];
    const { actions, notes } = plan({ now: 0, fleet: 'runners', stored, registered });
    expect([actions, notes.map(({ detail }) => detail)]).toEqual([
      [],
      ['the key of the fleet is registered', expect.stringContaining('another key of this name, k9')],
    ]);
  });
});

it.for([
  ['ssh-ed25519 AAAA one', 'ssh-ed25519  AAAA another', true],
  ['ssh-ed25519 AAAA', 'ssh-ed25519 BBBB', false],
  ['ssh-ed25519 AAAA', 'ssh-rsa AAAA', false],
  ['', '', false],
] as const)('%s and %s are the same key: %s', ([one, other, expected]) =>
  expect(isSameKey(one, other)).toBe(expected),
);
