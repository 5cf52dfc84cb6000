/** Leases: an update may create a Lease, and never overwrites a Lease by accident. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const spec = { holderIdentity: 'one', leaseDurationSeconds: 15, renewTime: '2001-02-03T04:05:06.789012Z' };

export const leasesCases: readonly Case[] = [
  {
    rule: 'an update of a Lease that does not exist creates it and answers 201',
    run: async ({ leases }) => {
      const created = objectIn(await leases.put('a', leases.draft('a', { spec })), 201);
      expect(created).toMatchObject({ kind: 'Lease', metadata: { uid: expect.any(String) }, spec });
      expect(objectIn(await leases.get('a'))).toEqual(created);
    },
  },
  {
    rule: 'an update of a Lease without a revision is 422, and with an outdated one 409',
    run: async ({ leases }) => {
      const created = objectIn(await leases.post(leases.draft('a', { spec })), 201);
      const blind = await leases.put('a', leases.draft('a', { spec: { ...spec, holderIdentity: 'two' } }));
      expectFailure(blind, { code: 422, reason: 'Invalid', fields: ['metadata.resourceVersion'] });
      const next = { ...created, spec: { ...spec, holderIdentity: 'two' } };
      expect(objectIn(await leases.put('a', next)).spec).toMatchObject({ holderIdentity: 'two' });
      expectFailure(await leases.put('a', next), { code: 409, reason: 'Conflict' });
    },
  },
  {
    rule: 'the times of a Lease have six digits of a second, and others are 400',
    run: async ({ leases }) => {
      expect(objectIn(await leases.post(leases.draft('a', { spec })), 201).spec).toEqual(spec);
      for (const renewTime of ['2001-02-03T04:05:06Z', '2001-02-03T04:05:06.5Z']) {
        const refused = await leases.post(leases.draft('b', { spec: { ...spec, renewTime } }));
        expectFailure(refused, { code: 400, reason: 'BadRequest' });
      }
    },
  },
  {
    rule: 'a Lease with a duration of zero is 422',
    run: async ({ leases }) => {
      const refused = await leases.post(leases.draft('a', { spec: { ...spec, leaseDurationSeconds: 0 } }));
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec.leaseDurationSeconds'] });
    },
  },
];
