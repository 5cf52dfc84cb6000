/** Deployments: defaults, validation, and the text form of the selector. */
import { isJsonEqual, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { numberAt, textAt, withFields, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { forbidden, required, unsupported, wrong } from './causes.ts';
import { podSpecDefaults } from './pod-defaults.ts';
import { podSpecCauses } from './pod-rules.ts';
import { filled, hasObject, objectAt, objectsAt, textsAt, withPart } from './reading.ts';

export function deploymentDefaults(deployment: KubeObject): KubeObject {
  const given = filled(objectAt(deployment, 'spec'), {
    replicas: 1,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  const spec = withPart(given, 'template', (template) => withPart(template, 'spec', podSpecDefaults));
  return withFields(deployment, { spec: { ...spec, strategy: strategyOf(objectAt(spec, 'strategy')) } });
}

function strategyOf(given: JsonObject): JsonObject {
  const strategy = filled(given, { type: 'RollingUpdate' });
  if (strategy['type'] !== 'RollingUpdate') return strategy;
  const rollingUpdate = filled(objectAt(strategy, 'rollingUpdate'), {
    maxUnavailable: '25%',
    maxSurge: '25%',
  });
  return { ...strategy, rollingUpdate };
}

export function deploymentCauses(deployment: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const spec = objectAt(deployment, 'spec');
  const template = objectAt(spec, 'template');
  const podSpec = objectAt(template, 'spec');
  const restart = textAt(podSpec, 'restartPolicy');
  return [
    ...negativeCauses(spec, ['replicas', 'minReadySeconds', 'revisionHistoryLimit']),
    ...selectorCauses(spec, objectAt(objectAt(template, 'metadata'), 'labels')),
    ...podSpecCauses(podSpec, 'spec.template.spec'),
    ...(restart === 'Always' ? [] : [unsupported('spec.template.spec.restartPolicy', restart, ['Always'])]),
    ...(podSpec['activeDeadlineSeconds'] === undefined
      ? []
      : [
          forbidden(
            'spec.template.spec.activeDeadlineSeconds',
            'activeDeadlineSeconds in Deployment is not Supported',
          ),
        ]),
    ...strategyCauses(objectAt(spec, 'strategy')),
    ...deadlineCauses(spec),
    ...(old === undefined ? [] : fixedCauses(spec, objectAt(old, 'spec'))),
  ];
}

function negativeCauses(spec: JsonObject, fields: readonly string[]): readonly Cause[] {
  return fields.flatMap((field) =>
    (numberAt(spec, field) ?? 0) < 0
      ? [wrong(`spec.${field}`, spec[field], 'must be greater than or equal to 0')]
      : [],
  );
}

function selectorCauses(spec: JsonObject, labels: JsonObject): readonly Cause[] {
  const selector = objectAt(spec, 'selector');
  const stray = wrong('spec.template.metadata.labels', labels, '`selector` does not match template `labels`');
  if (!hasObject(spec, 'selector')) return [required('spec.selector'), stray];
  if (Object.keys(selector).length === 0)
    return [wrong('spec.selector', selector, 'empty selector is invalid for deployment')];
  return matches(selector, labels) ? [] : [stray];
}

function matches(selector: JsonObject, labels: JsonObject): boolean {
  const equal = Object.entries(objectAt(selector, 'matchLabels')).every(
    ([key, value]) => labels[key] === value,
  );
  return equal && objectsAt(selector, 'matchExpressions').every((one) => holds(one, labels));
}

function holds(expression: JsonObject, labels: JsonObject): boolean {
  const key = textAt(expression, 'key') ?? '';
  const value = labels[key];
  const isOneOf = textsAt(expression, 'values').some((one) => one === value);
  switch (textAt(expression, 'operator') ?? '') {
    case 'In':
      return isOneOf;
    case 'NotIn':
      return !isOneOf;
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}

function strategyCauses(strategy: JsonObject): readonly Cause[] {
  if (strategy['type'] === 'Recreate')
    return hasObject(strategy, 'rollingUpdate')
      ? [forbidden('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")]
      : [];
  const { maxUnavailable, maxSurge } = objectAt(strategy, 'rollingUpdate');
  if (!isNothing(maxUnavailable) || !isNothing(maxSurge)) return [];
  return [
    wrong('spec.strategy.rollingUpdate.maxUnavailable', maxUnavailable, 'may not be 0 when `maxSurge` is 0'),
  ];
}

function isNothing(amount: Json | undefined): boolean {
  return amount === 0 || amount === '0%';
}

function deadlineCauses(spec: JsonObject): readonly Cause[] {
  const [deadline, ready] = [
    numberAt(spec, 'progressDeadlineSeconds') ?? 0,
    numberAt(spec, 'minReadySeconds') ?? 0,
  ];
  if (deadline > ready) return [];
  return [wrong('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')];
}

/** The selector is immutable. */
function fixedCauses(spec: JsonObject, old: JsonObject): readonly Cause[] {
  if (isJsonEqual(spec['selector'], old['selector'])) return [];
  return [wrong('spec.selector', spec['selector'], 'field is immutable')];
}

/** The selector as in a query, sorted by key. */
export function selectorText(selector: Json | undefined): string {
  if (!isJsonObject(selector)) return '';
  const equal = Object.entries(objectAt(selector, 'matchLabels')).map(([key, value]) => [
    key,
    `${key}=${typeof value === 'string' ? value : ''}`,
  ]);
  const others = objectsAt(selector, 'matchExpressions').map((one) => [
    textAt(one, 'key') ?? '',
    expressionText(one),
  ]);
  return [...equal, ...others]
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map(([, text]) => text)
    .join(',');
}

function expressionText(expression: JsonObject): string {
  const key = textAt(expression, 'key') ?? '';
  const values = textsAt(expression, 'values').toSorted().join(',');
  switch (textAt(expression, 'operator') ?? '') {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}
