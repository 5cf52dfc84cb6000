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
      'there is none, but the provider has one of this name',
      { stored: undefined, registered: [key('k9', 'ssh-ed25519 BBBB')] },
      'KeyMade make',
    ],
    ['the provider knows it', { registered: [key('k1')] }, 'KeyRegistered'],
    ['the provider does not know it', {}, 'KeyRegistering register'],
    [
      'the provider has another one of this name',
      { registered: [key('k9', 'ssh-ed25519 BBBB')] },
      'KeyRegistering register',
    ],
    [
      'it is known under another id than was written down',
      { registered: [key('k2')] },
      'KeyRegistering note k2',
    ],
    [
      'nothing was written down',
      { stored: { ...stored, keyId: undefined }, registered: [key('k2')] },
      'KeyRegistering note k2',
    ],
    [
      'it is known under another name',
      { registered: [key('k2', ours, 'by-hand')] },
      'KeyRegistering note k2',
    ],
    [
      'it was replaced by a person: the earlier one is known, and the new one is not',
      { registered: [key('k1', 'ssh-ed25519 OLD')] },
      'KeyRegistering register',
    ],
    [
      'it was replaced by a person, and the new one is known too',
      { registered: [key('k1', 'ssh-ed25519 OLD'), key('k2')] },
      'KeyRegistering retire k1',
    ],
    [
      'what was written down is the key of somebody else',
      { registered: [key('k1', 'ssh-ed25519 OLD', 'laptop'), key('k2')] },
      'KeyRegistering note k2',
    ],
    ['its private half is missing', { stored: { ...stored, hasPrivateKey: false } }, 'SSHKeyUnavailable'],
    ['its public half is missing', { stored: { ...stored, publicKey: '' } }, 'SSHKeyUnavailable'],
    ['its public half is no key', { stored: { ...stored, publicKey: 'nonsense' } }, 'SSHKeyUnavailable'],
  ] as const)('when %s', ([, over, expected]) => expect(decided(over)).toBe(expected));

  it('of somebody else under the same name is reported and left alone', () => {
    const registered = [key('k1'), key('k9', 'ssh-ed25519 BBBB')];
    const { actions, notes } = plan({ now: 0, fleet: 'runners', stored, registered });
    expect([actions, notes.map(({ detail }) => detail)]).toEqual([
      [],
      ['the provider knows its key', expect.stringContaining('another key of this name, k9')],
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
