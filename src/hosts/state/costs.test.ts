import { expect, it } from 'vitest';
import type { HostRecord } from './host-record.ts';
import { rentOf } from './costs.ts';

function host(state: HostRecord['status']['state'], type: string, status = 'ready'): HostRecord {
  return { id: 'h', spec: {}, status: { ...(state !== undefined && { state }), observed: { type, status } } };
}

const prices = new Map([
  ['M1-M', 0.1],
  ['M2-M', 0.2],
]);

it('sums the rent of idle, stranded and all hosts without rounding errors', () => {
  const hosts = [
    host('Pooled', 'M1-M'),
    host('Pooled', 'M2-M'),
    host('Stranded', 'M2-M'),
    host('Owned', 'M1-M'),
    host('Foreign', 'M1-M'),
  ];
  expect(rentOf(hosts, prices)).toEqual({ idle: 0.3, stranded: 0.2, total: 0.7, unpriced: new Map() });
});

it('counts hosts of types without a price, and adds nothing for them', () => {
  const rent = rentOf([host('Pooled', 'M4-M'), host('Stranded', 'M4-M'), host('Owned', 'M1-M')], prices);
  expect(rent).toEqual({ idle: 0, stranded: 0, total: 0.1, unpriced: new Map([['M4-M', 2]]) });
});

it('adds nothing for a server that is gone or was never seen', () => {
  const unseen: HostRecord = { id: 'h', spec: {}, status: { state: 'Stranded' } };
  expect(rentOf([host('Broken', 'M1-M', 'gone'), unseen], prices).total).toBe(0);
  expect(rentOf([host('Broken', 'M9', 'gone'), unseen], prices).unpriced.size).toBe(0);
});
