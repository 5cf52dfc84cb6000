import { afterAll, beforeAll } from 'vitest';
import { startNpmPostgres } from '../../../../test/database/npm-postgres.ts';
import type { Postgres } from '../../../../test/real/launch/postgres.ts';
import { Workplace } from '../../../../test/real/launch/workplace.ts';
import { runFaults } from '../../../../test/database/run-faults.ts';

let workplace: Workplace;
let server: Postgres;
beforeAll(async () => {
  workplace = await Workplace.open('faults');
  server = await startNpmPostgres(workplace);
});
afterAll(async () => workplace?.close());

runFaults("npm's PostgreSQL", () => server);
