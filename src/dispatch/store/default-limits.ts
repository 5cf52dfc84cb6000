/** The limits of a new account: enough to begin with, and not enough to starve others. */
import type { Limit } from './rows.ts';

export function defaultLimits(accountId: string): readonly Limit[] {
  return [
    { accountId, platform: 'linux', vcpus: 32, memoryGb: 64 },
    { accountId, platform: 'macos', vcpus: 12, memoryGb: 28 },
  ];
}
