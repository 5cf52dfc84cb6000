/** Stories of hosts: rented Macs, machines, and two managers. */
import type { StoryRunner } from '../story-runner.ts';
import { actIn } from './steps.ts';
import { expectationIn } from './expectations.ts';
import type { StoryContext } from './context.ts';
import { settingOf, type Setting } from './config.ts';
import { beginsAtMs, buildContext, setupFor } from './world.ts';

export const hostsRunner: StoryRunner<Setting, StoryContext> = {
  beginsAtMs,
  settingOf,
  buildContext,
  setupFor,
  actIn,
  expectationIn,
};
