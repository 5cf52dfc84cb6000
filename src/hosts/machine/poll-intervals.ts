/** How long a machine waits for its next reconcile, by what the machine waits for. */
export const waits = { forHost: 60_000, forPerson: 5 * 60_000, forCluster: 5000, forStep: 15_000 };
