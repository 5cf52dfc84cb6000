/**
 * `muster queue`: waiting jobs, jobs held back by limits, Pods in use, and the age of the oldest job. Reads only the
 * database, which does not know pools without jobs.
 */
import type { Signals } from '../../dispatch/store/port.ts';
import { ageText, stampOf } from '../hosts/ages.ts';
import { tableText, type Column } from '../hosts/table.ts';
import type { ProcessPorts } from '../process-ports.ts';
import { onStore } from './connect-store.ts';
import type { StoreOptions } from './store-options.ts';

interface Row {
  readonly pool: string;
  readonly signals: Signals;
}

export function runQueue(options: StoreOptions, ports: ProcessPorts): Promise<void> {
  return onStore(options, ports, async (store) => {
    const { terminal, clock } = ports;
    const now = clock.now();
    const queued = await store.queuedPools();
    const busy = [...(await store.claims()), ...(await store.openSessions())];
    const pools = [...new Set([...queued, ...busy.map(({ pool }) => pool)])].toSorted();
    const rows: Row[] = [];
    for (const pool of pools) rows.push({ pool, signals: await store.signals(pool, now) });
    if (options.json === true)
      return terminal.out(`${JSON.stringify({ pools: rows.map(jsonOf) }, null, 2)}\n`);
    terminal.out(rows.length === 0 ? 'nothing waits and nothing runs\n' : tableText(columnsAt(now), rows));
  });
}

function columnsAt(now: number): readonly Column<Row>[] {
  const number = (title: string, cell: (signals: Signals) => number): Column<Row> => ({
    title,
    cell: ({ signals }) => String(cell(signals)),
    isNumber: true,
  });
  return [
    { title: 'POOL', cell: ({ pool }) => pool, least: 12 },
    number('QUEUED', ({ queued }) => queued),
    number('HELD BACK', ({ withheld }) => withheld),
    number('CLAIMED', ({ claimed }) => claimed),
    number('PODS IN USE', ({ occupied }) => occupied),
    number('P95 OF AN HOUR', ({ p95LastHour }) => p95LastHour),
    {
      title: 'OLDEST',
      cell: ({ signals: { oldestQueuedAt: at } }) => (at === undefined ? '-' : ageText(now - at)),
    },
  ];
}

function jsonOf({ pool, signals: { oldestQueuedAt, ...counts } }: Row): object {
  return {
    pool,
    ...counts,
    ...(oldestQueuedAt !== undefined && { oldestQueuedAt: stampOf(oldestQueuedAt) }),
  };
}
