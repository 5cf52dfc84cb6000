/** Audiences of ServiceAccount tokens. A token for one of these is not valid at the API server. */

/** Tokens of the manager for dispatch. */
export const managerAudience = 'muster-dispatch';
