/**
 * For tests of the simulator: one round of the real event loop, after which every promise that can continue has done
 * so.
 */
export function drain(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
