/**
 * A green run means that every test ran, once, and could have failed. So no test is disabled, retried, empty of
 * meaning, or dependent on the speed of the machine.
 */
import type { Complaint, Rule } from '../finding.ts';
import { isTest } from '../source-file.ts';
import type { SourceFile } from '../source-file.ts';
import { childOf, childrenOf, constantText, isFunctionExpression, memberName, stringOf } from '../syntax.ts';
import type { Node } from '../syntax.ts';
import { findTestCalls } from '../test-call.ts';
import type { TestCall } from '../test-call.ts';
import type { Tree } from '../tree.ts';

interface Fault extends Pick<Complaint, 'wrong' | 'remedy'> {
  readonly node: Node;
}

export const testHonesty: Rule = {
  id: 'test-honesty',
  *check(tree) {
    for (const file of tree.files.filter(({ path }) => isTest(path))) {
      yield* timerImports(tree, file);
      for (const { node, wrong, remedy } of faultsIn(file)) {
        yield { file: file.path, line: file.lineOf(node), wrong, remedy };
      }
    }
  },
};

function faultsIn(file: SourceFile): readonly Fault[] {
  const mayDependOnMachine = file.path.startsWith('test/reference/');
  return [
    ...findTestCalls(file).flatMap((call) => [
      ...call.modifiers.flatMap(({ name, node }) => heldBack(name, node)),
      ...(mayDependOnMachine ? [] : call.modifiers).flatMap(({ name, node }) => machineFault(name, node)),
      ...call.args.filter(({ type }) => type === 'ObjectExpression').flatMap(optionFaults),
      ...contextSkips(file, call),
    ]),
    ...file
      .visitsOf('CallExpression')
      .flatMap(({ node }) => [...constantExpectation(node), ...configuredRetry(node)]),
    ...file.visitsOf('NewExpression').flatMap(({ node }) => sleepsIn(file, node)),
  ];
}

const switchedOff: ReadonlyMap<string, string> = new Map([
  ['fails', 'Assert the behaviour that is wanted and make it true'],
  ['only', 'Remove it, so that the whole suite runs'],
  ['skip', 'Make the test pass, or delete it'],
  ['todo', 'Write the test now, or delete the line'],
]);

function heldBack(name: string, node: Node): readonly Fault[] {
  const remedy = switchedOff.get(name);
  return remedy === undefined ? [] : [{ node, wrong: `holds back tests with ${name}`, remedy }];
}

function machineFault(name: string, node: Node): readonly Fault[] {
  if (name !== 'skipIf' && name !== 'runIf') return [];
  const remedy = 'Use describeIntegration of test/reference, which reports missing programs';
  return [{ node, wrong: `runs tests only on some machines with ${name}`, remedy }];
}

function optionFaults(options: Node): readonly Fault[] {
  return childrenOf(options, 'properties').flatMap((property) => {
    const key = childOf(property, 'key');
    const name = stringOf(key, 'name') ?? constantText(key) ?? '';
    const value = childOf(property, 'value')?.['value'];
    if (name === 'retry') return value === 0 ? [] : retryFault(property);
    return value === false ? [] : heldBack(name, property);
  });
}

function retryFault(node: Node): readonly Fault[] {
  const remedy = 'Remove the retry and wait on a state instead; a test that passes sometimes proves nothing';
  return [{ node, wrong: 'retries a test', remedy }];
}

function configuredRetry(call: Node): readonly Fault[] {
  if (memberName(childOf(call, 'callee')) !== 'setConfig') return [];
  return childrenOf(call, 'arguments').flatMap(optionFaults);
}

/** `it('…', ({ skip }) => …)` and `it('…', (context) => context.skip())`. */
function contextSkips(file: SourceFile, { modifiers, args }: TestCall): readonly Fault[] {
  // With a table the first parameter is a row, not the context.
  if (modifiers.some(({ name }) => name === 'each' || name === 'for')) return [];
  return args.filter(isFunctionExpression).flatMap((body) => {
    const [context] = childrenOf(body, 'params');
    if (context?.type === 'ObjectPattern') return optionFaults(context);
    const name = stringOf(context, 'name');
    return file
      .visitsOf('MemberExpression')
      .filter(({ node }) => isInside(node, body) && stringOf(childOf(node, 'object'), 'name') === name)
      .flatMap(({ node }) => (memberName(node) === 'skip' ? heldBack('skip', node) : []));
  });
}

function constantExpectation(call: Node): readonly Fault[] {
  const [subject] = childrenOf(call, 'arguments');
  if (stringOf(childOf(call, 'callee'), 'name') !== 'expect' || typeof subject?.['value'] !== 'boolean')
    return [];
  const remedy = 'Assert on a value the code produced, or call expect.fail with the reason';
  return [{ node: call, wrong: `expects something of the constant ${subject['value']}`, remedy }];
}

const noSleep = 'Wait on a state with vi.waitFor or expect.poll, or drive a simulated clock';

function* timerImports(tree: Tree, file: SourceFile): Generator<Complaint> {
  for (const { line, specifier = '' } of tree.referencesOf(file)) {
    if (!/^(node:)?timers\/promises$/.test(specifier)) continue;
    yield { file: file.path, line, wrong: `imports ${specifier} to sleep`, remedy: noSleep };
  }
}

/** A `setTimeout` inside `new Promise(…)` that only resolves the promise. */
function sleepsIn(file: SourceFile, promise: Node): readonly Fault[] {
  const [executor] = childrenOf(promise, 'arguments');
  if (stringOf(childOf(promise, 'callee'), 'name') !== 'Promise' || !isFunctionExpression(executor))
    return [];
  const resolve = stringOf(childrenOf(executor, 'params')[0], 'name');
  const identifiers = file.visitsOf('Identifier').filter(({ node }) => isInside(node, executor));
  return file
    .visitsOf('CallExpression')
    .filter(({ node }) => isInside(node, executor) && isSetTimeout(childOf(node, 'callee')))
    .filter(({ node }) => {
      const [callback] = childrenOf(node, 'arguments');
      return identifiers.some(
        (each) => stringOf(each.node, 'name') === resolve && isInside(each.node, callback),
      );
    })
    .map(({ node }) => ({ node, wrong: 'sleeps with setTimeout', remedy: noSleep }));
}

function isSetTimeout(callee: Node | undefined): boolean {
  return (memberName(callee) ?? stringOf(callee, 'name')) === 'setTimeout';
}

function isInside(node: Node, around: Node | undefined): boolean {
  return around !== undefined && node.start >= around.start && node.end <= around.end;
}
