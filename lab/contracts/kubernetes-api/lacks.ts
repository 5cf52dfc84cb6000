/** Features that a server lacks: cases that need such a feature are skipped, and `npm test` prints the reason. */
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
    why: 'without a network no kubelet is reachable; the suite over TLS covers the same server',
  },
];
