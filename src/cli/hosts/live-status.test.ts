import { expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { LiveStatus } from './live-status.ts';
import type { Summary } from './status-summary.ts';
import type { StatusRow } from './status-text.ts';

const start = Date.UTC(2026, 10, 3, 12);

function summary(owned: number): Summary {
  return {
    hosts: [{ name: 'Owned', count: owned }],
    machines: [],
    waiting: [],
    stranded: [],
    broken: [],
    quarantined: [],
    leader: { kind: 'leads', who: 'a', heard: '2026-11-03T12:00:00Z' },
    lastChange: undefined,
    findings: [],
  };
}

function harness(columns?: number, rows?: () => Promise<readonly StatusRow[]>) {
  const clock = new TestClock(start);
  const now = { owned: 1, isLost: false };
  let out = '';
  const read = async (): Promise<Summary> => {
    await Promise.resolve();
    if (now.isLost) throw new FleetError('unavailable', { reason: 'Unreachable', message: 'no answer' });
    return summary(now.owned);
  };
  const terminal = {
    out: (text: string) => void (out += text),
    err: () => undefined,
    ...(columns !== undefined && { columns: () => columns }),
  };
  const live = new LiveStatus({ clock, terminal, read, title: 'fleet', ...(rows && { rows }) });
  live.start();
  const taken = (): string => {
    const text = out;
    out = '';
    return text;
  };
  return { clock, now, live, taken };
}

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

it('writes a log line per change, and one a minute without a change', async () => {
  const { clock, now, taken } = harness();
  await clock.settle();
  expect(taken()).toBe('2026-11-03T12:00:00Z hosts 1: 1 Owned; machines 0; audit holds\n');
  await clock.pass(50_000);
  expect(taken()).toBe('');
  await clock.pass(70_000);
  expect(lines(taken())).toHaveLength(2);
  now.owned = 2;
  await clock.pass(6000);
  expect(taken()).toContain('2 Owned');
});

it('appends the additional rows, on a screen in separate lines', async () => {
  const rows = () => Promise.resolve([{ label: 'jobs', text: '1 done' }]);
  const log = harness(undefined, rows);
  await log.clock.settle();
  expect(log.taken()).toMatch(/audit holds; jobs 1 done\n$/);
  const screen = harness(100, rows);
  await screen.clock.settle();
  expect(lines(screen.taken()).at(-1)).toBe('jobs         1 done');
});

it('limits the log lines of frequent changes', async () => {
  const { clock, now, taken } = harness();
  for (let round = 0; round < 30; round += 1) {
    now.owned += 1;
    await clock.pass(2000);
  }
  expect(lines(taken()).length).toBeLessThanOrEqual(12);
});

it('redraws a screen in place, below the reported lines', async () => {
  const { clock, live, taken } = harness(30);
  await clock.settle();
  const height = taken().split('\n').length - 1;
  await clock.pass(2000);
  const again = taken();
  expect(again.startsWith(`\u001b[${height}A\u001b[J`)).toBe(true);
  const erased = `\u001b[${height}A\u001b[J`.length;
  expect(lines(again.slice(erased)).filter((line) => line.length > 30)).toEqual([]);
  live.report('something was done');
  expect(taken().slice(erased)).toMatch(/^\S+ something was done\n\nfleet, /);
});

it('reports a failed read, and reads again', async () => {
  const { clock, now, taken } = harness();
  await clock.settle();
  now.isLost = true;
  await clock.pass(6000);
  expect(taken()).toContain('failed to read the fleet: no answer');
  now.isLost = false;
  await clock.pass(6000);
  expect(taken()).toContain('1 Owned');
});

it('prints nothing after the stop', async () => {
  const { clock, now, live, taken } = harness();
  await clock.settle();
  taken();
  await live.stop();
  now.owned = 5;
  await clock.pass(120_000);
  expect(taken()).toBe('');
});
