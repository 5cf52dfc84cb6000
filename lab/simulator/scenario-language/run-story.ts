/** Runs a story: one run of its world, with every step and expectation of the script at its time. */
import type { Violation } from '../checkers/invariant.ts';
import { noFaults } from '../faults/fault-plan.ts';
import { runOnce, type Unhandled } from '../engine/run.ts';
import type { Scenario } from '../engine/scenario.ts';
import type { Drain } from '../engine/schedule.ts';
import { says } from './event-log.ts';
import { hostsRunner } from './hosts/runner.ts';
import { endOf } from './parse-story.ts';
import { runnersRunner } from './runners/runner.ts';
import { StoryError, type Line, type Story } from './story.ts';
import type { StoryContext, StoryRunner } from './story-runner.ts';

export interface StoryResult {
  readonly lines: readonly string[];
  /** The first violation. The story ends with it. */
  readonly violation: Violation | undefined;
}

export interface StoryPorts {
  readonly drain: Drain;
  readonly unhandled?: Unhandled;
}

type Deed<S> = (context: S) => void;

/** The setting of a story of runners begins with this word. */
const runnersWord = 'runners';

const hourMs = 3_600_000;
/** Time for the effects of steps at the very end. */
const lastMs = 1000;

export async function executeStory(story: Story, ports: StoryPorts): Promise<StoryResult> {
  const [first, ...rest] = story.setting;
  return first?.text === runnersWord
    ? reportIn(runnersRunner, { ...story, setting: rest }, ports)
    : reportIn(hostsRunner, story, ports);
}

async function reportIn<Setting extends { readonly seed: number }, S extends StoryContext>(
  runner: StoryRunner<Setting, S>,
  story: Story,
  { drain, unhandled }: StoryPorts,
): Promise<StoryResult> {
  const { beginsAtMs } = runner;
  const setting = runner.settingOf(story.setting);
  const blocks = story.blocks.map(({ when, lines }) => ({
    when,
    deeds: lines.map((line) => deedOf(runner, line)),
  }));
  let context: S | undefined;
  const scenario: Scenario = {
    name: 'story',
    says: story.title,
    hours: 1,
    settleMs: 0,
    bugs: {},
    scripts: {},
    build: (world) => {
      context = runner.buildContext(world, setting);
      forbid(context, story.nevers);
      for (const { when, deeds } of blocks) arrange(context, { when: shifted(when, beginsAtMs), deeds });
      return runner.setupFor(context);
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
  return { lines: context?.parts.chronicle.lines() ?? [], violation };
}

function deedOf<Setting extends { readonly seed: number }, S extends StoryContext>(
  runner: StoryRunner<Setting, S>,
  line: Line,
): Deed<S> {
  const expected = runner.expectationIn(line);
  if (expected !== undefined) return (context) => lookFor(context, line, expected);
  const act = runner.actIn(line);
  if (act === undefined) throw new StoryError(line, 'unknown step');
  return (context) => {
    context.parts.chronicle.report('*', line.text);
    act(context);
  };
}

function lookFor<S extends StoryContext>(
  context: S,
  { number, text }: Line,
  expected: (context: S) => string | undefined,
): void {
  const { chronicle, world } = context.parts;
  const wrong = expected(context);
  chronicle.report(
    '*',
    wrong === undefined ? text.replace('expect', 'as expected:') : `${text}, but ${wrong}`,
  );
  if (wrong !== undefined) world.violate('expect', `line ${number}, "${text}": ${wrong}`);
}

function forbid({ parts: { chronicle, world } }: StoryContext, nevers: readonly Line[]): void {
  chronicle.listen((fact) => {
    const broken = fact.who === '*' ? undefined : nevers.find(({ text }) => says(fact, text));
    if (broken !== undefined)
      world.violate('never', `line ${broken.number}, "never ${broken.text}": ${fact.what}`);
  });
}

type When = Story['blocks'][number]['when'];

/** Converts a time of the story to a time of the world. */
function shifted(when: When, byMs: number): When {
  return 'atMs' in when ? { atMs: when.atMs + byMs } : when;
}

function arrange<S extends StoryContext>(
  context: S,
  { when, deeds }: { readonly when: When; readonly deeds: readonly Deed<S>[] },
): void {
  const { world, chronicle } = context.parts;
  const doAll = (): void => {
    for (const deed of deeds) deed(context);
  };
  if ('atMs' in when) {
    world.schedule.direct(when.atMs, 'as the story has it', doAll);
    return;
  }
  let isOver = false;
  chronicle.listen((fact) => {
    if (isOver || fact.who === '*' || !says(fact, when.fact)) return;
    isOver = true;
    // After the current event, and before any process sees the change.
    world.schedule.direct(0, 'as the story has it', doAll);
  });
}
