import { afterAll, beforeAll } from 'vitest';
import { startNpmPostgres } from '../../../../test/integration/database/npm-postgres.ts';
import type { Postgres } from '../../../../test/reference/launch/postgres.ts';
import { Workplace } from '../../../../test/reference/launch/workplace.ts';
import { runFaults } from '../../../../test/integration/database/run-faults.ts';

let workplace: Workplace;
let server: Postgres;
beforeAll(async () => {
  workplace = await Workplace.open('faults');
  server = await startNpmPostgres(workplace);
});
afterAll(async () => workplace?.close());

runFaults("npm's PostgreSQL", () => server);
