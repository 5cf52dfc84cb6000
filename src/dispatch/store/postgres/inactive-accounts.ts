/** Accounts of which it is known that the App is not, or not now, installed for them. */
import { sql } from 'kysely';

/** Those with an installation, none of which works. Of an account without any nothing is known. */
export const accountsWithoutApp = sql`
  select account_id from installations group by account_id having bool_and(state <> 'active')`;
