/** Acts on one thing after the other: one that fails does not keep the others, and in the end the turn was not a good one. */
export async function oneByOne<T>(
  things: readonly T[],
  act: (thing: T) => Promise<void>,
  failed: (thing: T, error: unknown) => Promise<void> | void,
): Promise<void> {
  const errors: unknown[] = [];
  for (const thing of things)
    try {
      await act(thing);
    } catch (error) {
      errors.push(error);
      await failed(thing, error);
    }
  if (errors.length > 0) throw errors[0];
}
