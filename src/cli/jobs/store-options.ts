/** Options for the database of dispatch. */
import type { Command } from 'commander';

export interface StoreOptions {
  readonly databaseUrl?: string;
  readonly json?: true;
}

export function withStore(command: Command): Command {
  return command
    .option('--database-url <url>', 'use this database of dispatch (default: $MUSTER_DATABASE_URL)')
    .option('--json', 'print JSON instead');
}
