/** Stories of runners: jobs at GitHub, Pods that wait for them, and dispatch between them. */
import type { StoryRunner } from '../story-runner.ts';
import { actIn } from './steps.ts';
import { expectationIn } from './expectations.ts';
import type { RunnersContext } from './context.ts';
import { settingOf, type RunnersSetting } from './config.ts';
import { beginsAtMs, buildContext, setupFor } from './world.ts';

export const runnersRunner: StoryRunner<RunnersSetting, RunnersContext> = {
  beginsAtMs,
  settingOf,
  buildContext,
  setupFor,
  actIn,
  expectationIn,
};
