/** Stories of runners: jobs at GitHub, Pods that wait for them, and dispatch between them. */
import type { Theatre } from '../theatre.ts';
import { actIn } from './acts.ts';
import { expectationIn } from './expectations.ts';
import type { RunnersScene } from './scene.ts';
import { settingOf, type RunnersSetting } from './setting.ts';
import { beginsAtMs, buildScene, stageOf } from './stage.ts';

export const runnersTheatre: Theatre<RunnersSetting, RunnersScene> = {
  beginsAtMs,
  settingOf,
  buildScene,
  stageOf,
  actIn,
  expectationIn,
};
