/** The ways to read a clock, wait, or draw a random number, for the composition roots only. */
export const timeAndChance = [
  'AbortSignal.timeout',
  'Date()',
  'Date.now',
  'Math.random',
  'crypto.getRandomValues',
  'crypto.random*',
  'new Date()',
  'performance.now',
  'process.hrtime',
  'process.uptime',
  'setImmediate',
  'setInterval',
  'setTimeout',
];

/** Files held to the stricter wall: the model, the shared rules and every planner. The command `plan` is no planner. */
export function mustBePure(path: string): boolean {
  return (
    /^src\/(api|hosts\/state)\//.test(path) || (path.endsWith('/plan.ts') && /^src\/(?!cli\/)/.test(path))
  );
}
