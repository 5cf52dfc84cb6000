/** Every scenario there is, by name. */
import type { Scenario } from '../scenario.ts';
import { counter } from './counter.ts';

export const scenarios: readonly Scenario[] = [counter];
