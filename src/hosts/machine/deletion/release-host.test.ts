import { expect, it } from 'vitest';
import { ClaimName, MachineUid } from '../../../api/names/ids.ts';
import { isKnown } from './release-host.ts';

const metadata = { name: 'mini-1', uid: 'u', resourceVersion: '1' };

it('a host counts as known with a claim, with a server name, or when its server is gone', () => {
  const claim = { namespace: 'default', name: ClaimName.parse('mac-a'), uid: MachineUid.parse('a') };
  expect(isKnown({ metadata, spec: { claim } })).toBe(true);
  expect(isKnown({ metadata, status: { observed: { name: 'mac-a' } } })).toBe(true);
  expect(isKnown({ metadata, status: { observed: { status: 'gone' } } })).toBe(true);
  expect(isKnown({ metadata, status: { observed: { status: 'ready' } } })).toBe(false);
  expect(isKnown({ metadata })).toBe(false);
});
