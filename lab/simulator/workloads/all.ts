/** Every scenario there is, by name. */
import type { Scenario } from '../engine/scenario.ts';
import { counter } from './counter.ts';
import { hosts } from './hosts/hosts.ts';
import { runners } from './runners/runners.ts';
import { sample } from './sample/sample.ts';

export const scenarios: readonly Scenario[] = [counter, sample, hosts, runners];
