/** Accounts without an active installation of the App. */
import { sql } from 'kysely';

/** Accounts with installations of which none is active. An account without installations is not included. */
export const accountsWithoutApp = sql`
  select account_id from installations group by account_id having bool_and(state <> 'active')`;
