/** What a server lacks that some rules need: those are not asked of it, and `npm test` says so with the reason. */
import type { Need } from './case.ts';

export interface Lack {
  /** The name of the target. */
  readonly target: string;
  readonly need: Need;
  readonly why: string;
}

export const lacks: readonly Lack[] = [
  {
    target: 'embedded, in process',
    need: 'kubelets',
    why: 'without a network no kubelet can be asked; the same server is asked over TLS',
  },
];
