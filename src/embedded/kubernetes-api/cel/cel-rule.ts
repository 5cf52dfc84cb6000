/** A rule of `x-kubernetes-validations`, compiled once. A rule that cannot be evaluated counts as violated. */
import { Environment } from '@marcbachmann/cel-js';
import type { ValidationRule } from '../schema/structural-schema.ts';
import { matchesPattern, withOwnPatterns } from './cel-patterns.ts';
import type { CelValue } from './cel-value.ts';
import { isTooDear, loopDepth } from './rule-cost.ts';

export interface CompiledRule {
  /** A transition rule uses the old value, so it applies only to updates. */
  readonly isTransition: boolean;
  /** Undefined when the rule holds, else the message. */
  readonly broken: (self: CelValue, oldSelf: CelValue | undefined) => string | undefined;
}

/** Similar to the cost limit of the real server, so that no rule blocks the server. */
const limits = { maxAstNodes: 10_000, maxDepth: 100, maxListElements: 1000, maxMapEntries: 1000 };

/** An open environment accepts any variable; otherwise each variable has a type. */
export function celEnvironment({ isOpen }: { readonly isOpen: boolean }): Environment {
  return new Environment({ unlistedVariablesAreDyn: isOpen, limits }).registerFunction(
    'string.matchesPattern(string): bool',
    matchesPattern,
  );
}

export const environment = celEnvironment({ isOpen: true });
const compiled = new WeakMap<ValidationRule, CompiledRule>();

export function compileRule(rule: ValidationRule): CompiledRule {
  const known = compiled.get(rule);
  if (known !== undefined) return known;
  const fresh = compile(rule);
  compiled.set(rule, fresh);
  return fresh;
}

function compile(rule: ValidationRule): CompiledRule {
  const isTransition = /\boldSelf\b/.test(rule.rule);
  const program = attempt(() => environment.parse(withOwnPatterns(rule.rule)));
  const message =
    rule.messageExpression === undefined
      ? undefined
      : attempt(() => environment.parse(withOwnPatterns(rule.messageExpression ?? '')));
  const depth = loopDepth(rule.rule);
  const fallback = rule.message ?? `failed rule: ${rule.rule.trim()}`;
  return {
    isTransition,
    broken: (self, oldSelf) => {
      if (program.failed !== undefined) return `rule compile error: ${program.failed}`;
      if ([self, oldSelf].some((value) => isTooDear(depth, value)))
        return 'rule evaluation error: the value is too large for the cost limit of the rule';
      const context = oldSelf === undefined ? { self } : { self, oldSelf };
      const outcome = attempt((): unknown => program.value(context));
      if (outcome.failed !== undefined) return `rule evaluation error: ${outcome.failed}`;
      if (outcome.value === true) return undefined;
      return saidBy(message, context) ?? fallback;
    },
  };
}

type Program = ReturnType<Environment['parse']>;

function saidBy(message: Attempt<Program> | undefined, context: Parameters<Program>[0]): string | undefined {
  if (message?.value === undefined) return undefined;
  const { value: said } = attempt((): unknown => message.value(context));
  return typeof said === 'string' && said !== '' ? said : undefined;
}

type Attempt<T> =
  | { readonly value: T; readonly failed?: undefined }
  | { readonly value?: undefined; readonly failed: string };

function attempt<T>(run: () => T): Attempt<T> {
  try {
    return { value: run() };
  } catch (error) {
    return { failed: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
}
