/** For tests of the simulator: one turn of the real event loop, after which every promise that could go on has. */
export function drain(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
