/** Acts on one item after the other. A failure does not stop the loop; at the end the first error is thrown. */
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
