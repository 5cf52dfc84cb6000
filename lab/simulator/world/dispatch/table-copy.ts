/**
 * A copy of all rows of the database, and the way back to the copy: a failover to a replica without the last writes.
 */
import type { Tables } from '../../../../src/dispatch/store/model/tables.ts';

/** The returned function restores the tables to their present state. */
export function copyOf(tables: Tables): () => void {
  const waysBack = [
    copyOfTable(tables.accounts),
    copyOfTable(tables.installations),
    copyOfTable(tables.limits),
    copyOfTable(tables.profiles),
    copyOfTable(tables.deliveries),
    copyOfTable(tables.jobs),
    copyOfSet(tables.heardQueued),
    copyOfTable(tables.claims),
    copyOfTable(tables.sessions),
    copyOfTable(tables.retired),
    copyOfTable(tables.acts),
    copyOfTable(tables.leases),
    copyOfTable(tables.suspects),
  ];
  return () => {
    for (const goBack of waysBack) goBack();
  };
}

/** Rows are replaced and never changed, so a shallow copy is enough. */
function copyOfTable<K, V>(table: Map<K, V>): () => void {
  const rows = [...table];
  return () => {
    table.clear();
    for (const [key, row] of rows) table.set(key, row);
  };
}

function copyOfSet<T>(table: Set<T>): () => void {
  const rows = [...table];
  return () => {
    table.clear();
    for (const row of rows) table.add(row);
  };
}
