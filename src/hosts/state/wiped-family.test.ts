import { expect, it } from 'vitest';
import type { HostRecord } from './host-record.ts';
import { otherFamilyOf } from './wiped-family.ts';

const at = '2026-01-01T00:00:00.000Z';
const release = { policy: 'pool', osFamily: 'Tahoe', orderedBy: 'machine', orderedAt: at } as const;
const wipe = { order: at, askedAt: at };
const sequoia = { observed: { os: { name: 'macos-sequoia-15.7', family: 'Sequoia' } } };
const tahoe = { observed: { os: { name: 'macos-tahoe-26.3', family: 'Tahoe' } } };

it.for<[string, HostRecord['spec'], HostRecord['status'], string]>([
  ['the family is not on offer', { release }, { wipe: { ...wipe, missingFamily: 'Tahoe' } }, 'on offer'],
  ['the provider took another', { release }, { wipe: { ...wipe, completedAt: at }, ...sequoia }, 'sequoia'],
  ['it is not done yet', { release }, { wipe, ...sequoia }, 'nothing'],
  ['all is well', { release }, { wipe: { ...wipe, completedAt: at }, ...tahoe }, 'nothing'],
  ['the installed family is unknown', { release }, { wipe: { ...wipe, completedAt: at } }, 'nothing'],
  [
    'no family was asked for',
    { release: { ...release, osFamily: '' } },
    { wipe: { ...wipe, completedAt: at }, ...sequoia },
    'nothing',
  ],
  [
    'that was the wipe before',
    { release },
    { wipe: { order: 'before', askedAt: at, missingFamily: 'Tahoe' } },
    'nothing',
  ],
  ['there is no order', {}, { wipe: { ...wipe, missingFamily: 'Tahoe' } }, 'nothing'],
])('the message where %s', ([, spec, status, part]) => {
  expect(otherFamilyOf({ spec, status }) ?? 'nothing').toContain(part);
});
