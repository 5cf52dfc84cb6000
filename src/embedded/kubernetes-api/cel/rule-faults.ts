/**
 * Errors in the CEL rules of a schema, found when the schema is stored: an invalid rule would reject every object. Only
 * certain errors count, because the library here supports less than the real server.
 */
import type { Environment } from '@marcbachmann/cel-js';
import { isPlainScalar, type JsonSchema, type ValidationRule } from '../schema/structural-schema.ts';
import type { Cause } from '../status-error.ts';
import { forbidden, unsupported } from '../registry/causes.ts';
import { environment } from './cel-rule.ts';
import { withOwnPatterns } from './cel-patterns.ts';
import { itemsMax, leastCost, ruleCostMax, schemaCostMax } from './rule-estimate.ts';
import { hasBrokenPattern, isFieldPath } from './rule-words.ts';
import { TypeNames } from './type-names.ts';

/** Beyond this number of rules only the syntax is checked, because each typed rule needs its own environment. */
const typedMax = 200;
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
/** Kubernetes extensions of CEL that the library lacks. */
const unknownHere =
  /^(?:isSorted|sum|min|max|indexOf|lastIndexOf|find|findAll|url|isURL|getScheme|getHost|getHostname|getPort|getEscapedPath|getQuery|ip|isIP|family|isUnspecified|isLoopback|isLinkLocalMulticast|isLinkLocalUnicast|isGlobalUnicast|isCanonical|cidr|isCIDR|containsIP|containsCIDR|prefixLength|masked|quantity|isQuantity|sign|isInteger|asInteger|asApproximateFloat|add|sub|isGreaterThan|isLessThan|compareTo|format|validate|dns\w*|named|semver|isSemver|major|minor|patch|authorizer|sets|contains|equivalent|intersects|optional|optMap|optFlatMap|orValue|or|value|hasValue|flatten|slice|sort|sortBy|distinct|range|reverse|charAt|join|replace|substring|trim|quote|strings|math|greatest|least|includes|cel|transformList|transformMap|transformMapEntry|existsOne)$/;
/** CEL syntax that the parser lacks. */
const newerSyntax = /\.\?|\[\?|\{\s*\?|\.\s*\w+\s*\(\s*\w+\s*,\s*\w+\s*,/;

interface Place {
  readonly schema: JsonSchema;
  readonly at: string;
  /** Whether a new value can be related to an old one. */
  readonly isCorrelated: boolean;
  /** How often the schema can apply in one object. */
  readonly times: number;
}

export function ruleFaults(schema: JsonSchema, at: string): readonly Cause[] {
  let types: TypeNames | undefined;
  const found: Cause[] = [];
  let typed = 0;
  const open: Place[] = [{ schema, at, isCorrelated: true, times: 1 }];
  let cost = 0;
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const rules = place.schema['x-kubernetes-validations'] ?? [];
    if (rules.length > 0) {
      typed += 1;
      // Lazy: most schemas have no rules, and naming the types of 100,000 properties takes 100 ms.
      types ??= new TypeNames(schema);
      const checker = typed > typedMax ? undefined : types.environmentFor(place.schema);
      for (const [index, rule] of rules.entries()) {
        const ruleCost = place.times * leastCost(rule.rule, place.schema);
        cost += ruleCost;
        found.push(...faultsOf(rule, index, { ...place, checker, ruleCost }));
      }
    }
    open.push(...placesBelow(place));
  }
  return cost <= schemaCostMax ? found : [...found, totalFault(at, cost)];
}

function placesBelow({ schema, at, isCorrelated, times }: Place): readonly Place[] {
  const { properties = {}, items, additionalProperties } = schema;
  const isKeyed = schema['x-kubernetes-list-type'] === 'map';
  return [
    ...Object.entries(properties).flatMap(([name, inner]) =>
      isPlainScalar(inner) ? [] : [{ schema: inner, at: `${at}.properties[${name}]`, isCorrelated, times }],
    ),
    ...(items === undefined
      ? []
      : [
          {
            schema: items,
            at: `${at}.items`,
            isCorrelated: isCorrelated && isKeyed,
            times: times * itemsMax(schema),
          },
        ]),
    ...(typeof additionalProperties === 'object'
      ? [
          {
            schema: additionalProperties,
            at: `${at}.additionalProperties`,
            isCorrelated,
            times: times * itemsMax(schema),
          },
        ]
      : []),
  ];
}

interface Check extends Place {
  readonly checker: Environment | undefined;
  readonly ruleCost: number;
}

function faultsOf(rule: ValidationRule, index: number, place: Check): readonly Cause[] {
  const at = `${place.at}.x-kubernetes-validations[${index}]`;
  if (rule.rule.trim() === '')
    return [
      { field: `${at}.rule`, reason: 'FieldValueRequired', message: 'Required value: rule is not specified' },
    ];
  const { messageExpression, fieldPath = '' } = rule;
  const compiled = faultIn(rule.rule, 'bool', place.checker);
  const said =
    messageExpression === undefined ? undefined : faultIn(messageExpression, 'string', place.checker);
  return [
    ...(compiled === undefined ? [] : [wrong(`${at}.rule`, compiled)]),
    ...(said === undefined ? [] : [wrong(`${at}.messageExpression`, said)]),
    ...(fieldPath === '' || isFieldPath(fieldPath, place.schema)
      ? []
      : [wrong(`${at}.fieldPath`, `${JSON.stringify(fieldPath)}: must be a valid path`)]),
    ...costFaults(place.ruleCost, `${at}.rule`),
    ...oldFaults(rule, place, at),
    ...wordFaults(rule, at),
  ];
}

const advice =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

function costFaults(cost: number, field: string): readonly Cause[] {
  if (cost <= ruleCostMax) return [];
  const over = forbidden(
    field,
    `estimated rule cost exceeds budget by factor of ${factor(cost / ruleCostMax)} (${advice})`,
  );
  if (cost <= schemaCostMax) return [over];
  const all = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  return [over, forbidden(field, all)];
}

function totalFault(at: string, cost: number): Cause {
  const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return forbidden(at, `${what} exceeds budget by factor of ${factor(cost / schemaCostMax)} (${advice})`);
}

function factor(times: number): string {
  return times > 100 ? 'more than 100x' : `${times.toFixed(6)}x`;
}

function oldFaults(rule: ValidationRule, { isCorrelated }: Check, at: string): readonly Cause[] {
  const speaksOfOld = /\boldSelf\b/.test(rule.rule);
  const isOptional = rule.optionalOldSelf === true;
  if (isOptional && !speaksOfOld)
    return [wrong(`${at}.optionalOldSelf`, 'may not be set if oldSelf is not used in rule')];
  if (isOptional || !speaksOfOld || isCorrelated) return [];
  return [wrong(`${at}.rule`, 'oldSelf cannot be used on the uncorrelatable portion of the schema')];
}

function wordFaults({ reason, message = '' }: ValidationRule, at: string): readonly Cause[] {
  const isKnown = reason === undefined || reasons.includes(reason);
  const isOneLine = message === '' || (message.trim() !== '' && !/[\n\r]/.test(message));
  return [
    ...(isKnown ? [] : [unsupported(`${at}.reason`, reason, reasons)]),
    ...(isOneLine ? [] : [wrong(`${at}.message`, 'must be one line that is not empty')]),
  ];
}

function wrong(field: string, why: string): Cause {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${why}` };
}

function faultIn(expression: string, wanted: string, checker: Environment | undefined): string | undefined {
  if (newerSyntax.test(expression)) return undefined;
  if (hasBrokenPattern(expression)) return 'compilation failed: invalid matches argument';
  const text = withOwnPatterns(expression);
  const { valid, error, type } = check(text, checker);
  if (!valid) return isCertain(error ?? '') ? `compilation failed: ${error}` : undefined;
  const isOther = type !== undefined && scalars.has(type) && type !== wanted;
  return isOther ? `cel expression must evaluate to a ${wanted}` : undefined;
}

const scalars = new Set(['int', 'uint', 'double', 'string', 'bool', 'bytes']);

interface Checked {
  readonly valid: boolean;
  readonly error?: string | undefined;
  readonly type?: string | undefined;
}

/** The syntax first: its errors are certain for all types. */
function check(text: string, checker: Environment | undefined): Checked {
  try {
    environment.parse(text);
  } catch (error) {
    return { valid: false, error: `syntax: ${firstLine(error)}` };
  }
  if (checker === undefined) return { valid: true };
  const { valid, error, type } = checker.check(text);
  return { valid, error: error === undefined ? undefined : firstLine(error), type };
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}

function isCertain(error: string): boolean {
  const [, name] = /^found no matching overload for '(?:[^'(]*\.)?(\w+)\(/.exec(error) ?? [];
  if (name !== undefined) return !unknownHere.test(name);
  const [, left = '', right = ''] =
    /^no such overload: (\S+) in list<(\w+)>$/.exec(error) ??
    /^no such overload: (\S+) \S+ (\S+)$/.exec(error) ??
    [];
  if (left !== '') return scalars.has(left) && scalars.has(right) && isText(left) !== isText(right);
  return /^(?:syntax:|No such key:|Unknown variable:|Logical operator requires)|cannot be range of/.test(
    error,
  );
}

function isText(type: string): boolean {
  return type === 'string';
}
