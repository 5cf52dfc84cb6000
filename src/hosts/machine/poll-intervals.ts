/** How long a machine waits before it is visited again, by what it waits for. */
export const waits = { forHost: 60_000, forPerson: 5 * 60_000, forCluster: 5000, forStep: 15_000 };
