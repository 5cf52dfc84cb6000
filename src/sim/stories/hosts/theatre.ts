/** Stories of hosts: rented Macs, machines, and two managers. */
import type { Theatre } from '../theatre.ts';
import { actIn } from './acts.ts';
import { expectationIn } from './expectations.ts';
import type { Scene } from './scene.ts';
import { settingOf, type Setting } from './setting.ts';
import { beginsAtMs, buildScene, stageOf } from './stage.ts';

export const hostsTheatre: Theatre<Setting, Scene> = {
  beginsAtMs,
  settingOf,
  buildScene,
  stageOf,
  actIn,
  expectationIn,
};
