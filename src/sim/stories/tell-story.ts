/** Tells a story: one run of its world, in which everything that the script says is done and looked at in its time. */
import type { Violation } from '../oracles/invariant.ts';
import { noFaults } from '../fault-plan.ts';
import { runOnce, type Unhandled } from '../run.ts';
import type { Scenario } from '../scenario.ts';
import type { Drain } from '../schedule.ts';
import { says } from './chronicle.ts';
import { hostsTheatre } from './hosts/theatre.ts';
import { endOf } from './parse-story.ts';
import { runnersTheatre } from './runners/theatre.ts';
import { StoryError, type Line, type Story } from './story.ts';
import type { Scene, Theatre } from './theatre.ts';

export interface Told {
  readonly lines: readonly string[];
  /** What was not as it should be. The story ends with it. */
  readonly violation: Violation | undefined;
}

export interface TellPorts {
  readonly drain: Drain;
  readonly unhandled?: Unhandled;
}

type Deed<S> = (scene: S) => void;

/** The setting of a story of runners begins with this word. */
const runnersWord = 'runners';

const hourMs = 3_600_000;
/** For what was asked for at the very end. */
const lastMs = 1000;

export async function tellStory(story: Story, ports: TellPorts): Promise<Told> {
  const [first, ...rest] = story.setting;
  return first?.text === runnersWord
    ? tellIn(runnersTheatre, { ...story, setting: rest }, ports)
    : tellIn(hostsTheatre, story, ports);
}

async function tellIn<Setting extends { readonly seed: number }, S extends Scene>(
  theatre: Theatre<Setting, S>,
  story: Story,
  { drain, unhandled }: TellPorts,
): Promise<Told> {
  const { beginsAtMs } = theatre;
  const setting = theatre.settingOf(story.setting);
  const blocks = story.blocks.map(({ when, lines }) => ({
    when,
    deeds: lines.map((line) => deedOf(theatre, line)),
  }));
  let scene: S | undefined;
  const scenario: Scenario = {
    name: 'story',
    says: story.title,
    hours: 1,
    settleMs: 0,
    bugs: {},
    scripts: {},
    build: (world) => {
      scene = theatre.buildScene(world, setting);
      forbid(scene, story.nevers);
      for (const { when, deeds } of blocks) arrange(scene, { when: shifted(when, beginsAtMs), deeds });
      return theatre.stageOf(scene);
    },
  };
  const hours = (beginsAtMs + endOf(story) + lastMs) / hourMs;
  const { violation } = await runOnce(scenario, {
    seed: setting.seed,
    hours,
    endsAtMs: hours * hourMs,
    drain,
    faults: () => noFaults,
    unhandled,
  });
  return { lines: scene?.parts.chronicle.lines() ?? [], violation };
}

function deedOf<Setting extends { readonly seed: number }, S extends Scene>(
  theatre: Theatre<Setting, S>,
  line: Line,
): Deed<S> {
  const expected = theatre.expectationIn(line);
  if (expected !== undefined) return (scene) => lookFor(scene, line, expected);
  const act = theatre.actIn(line);
  if (act === undefined) throw new StoryError(line, 'nothing is done so');
  return (scene) => {
    scene.parts.chronicle.tell('*', line.text);
    act(scene);
  };
}

function lookFor<S extends Scene>(
  scene: S,
  { number, text }: Line,
  expected: (scene: S) => string | undefined,
): void {
  const { chronicle, world } = scene.parts;
  const wrong = expected(scene);
  chronicle.tell('*', wrong === undefined ? text.replace('expect', 'as expected:') : `${text}, but ${wrong}`);
  if (wrong !== undefined) world.violate('expect', `line ${number}, "${text}": ${wrong}`);
}

function forbid({ parts: { chronicle, world } }: Scene, nevers: readonly Line[]): void {
  chronicle.listen((fact) => {
    const broken = fact.who === '*' ? undefined : nevers.find(({ text }) => says(fact, text));
    if (broken !== undefined)
      world.violate('never', `line ${broken.number}, "never ${broken.text}": ${fact.what}`);
  });
}

type When = Story['blocks'][number]['when'];

/** In the time of the world. */
function shifted(when: When, byMs: number): When {
  return 'atMs' in when ? { atMs: when.atMs + byMs } : when;
}

function arrange<S extends Scene>(
  scene: S,
  { when, deeds }: { readonly when: When; readonly deeds: readonly Deed<S>[] },
): void {
  const { world, chronicle } = scene.parts;
  const doAll = (): void => {
    for (const deed of deeds) deed(scene);
  };
  if ('atMs' in when) {
    world.schedule.direct(when.atMs, 'as the story has it', doAll);
    return;
  }
  let isOver = false;
  chronicle.listen((fact) => {
    if (isOver || fact.who === '*' || !says(fact, when.fact)) return;
    isOver = true;
    // Once whoever did it is done with it, and before anybody hears of it.
    world.schedule.direct(0, 'as the story has it', doAll);
  });
}
