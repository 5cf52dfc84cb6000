/** The order of the versions of a group: stable before beta before alpha, higher before lower. */

const shape = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages = ['alpha', 'beta', 'stable'];

export function byVersionPriority(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at !== -1) return (right[at] ?? 0) - (left[at] ?? 0);
  return a < b ? -1 : Number(a > b);
}

/** Names that are no versions come last. */
function rank(version: string): readonly number[] {
  const [, major, fixture = 'stable', minor = '0'] = shape.exec(version) ?? [];
  return major === undefined ? [-1, 0, 0] : [stages.indexOf(fixture), Number(major), Number(minor)];
}
