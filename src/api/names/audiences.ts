/** What tokens of ServiceAccounts are made for. A token for one of these opens nothing at the API server. */

/** What the manager shows to dispatch. */
export const managerAudience = 'muster-dispatch';
