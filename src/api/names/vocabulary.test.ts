import { describe, expect, it } from 'vitest';

import { annotations, terminatePolicy } from './annotations.ts';
import { conditionTypes } from '../conditions/conditions.ts';
import type { ConditionType } from '../conditions/conditions.ts';
import { fieldsSchema } from '../crd/crd.ts';
import { finalizers } from './finalizers.ts';
import { kinds } from '../kinds/kinds.ts';
import { labels } from './labels.ts';
import { hostStates } from '../kinds/mac-host.ts';
import { reasons, reasonThemes } from '../conditions/reasons.ts';
import { schemaFields } from '../crd/schema-fields.ts';
import type { VocabularyEntry } from './vocabulary-entry.ts';

const pascalCase = /^[A-Z][A-Za-z0-9]*$/;
const byKind: Readonly<Record<string, Readonly<Record<string, ConditionType>>>> = conditionTypes;
const allConditions = Object.entries(byKind).flatMap(([kind, types]) =>
  Object.entries(types).map(([type, condition]) => ({ kind, type, ...condition })),
);

const keys = (entries: Readonly<Record<string, VocabularyEntry>>) =>
  Object.values(entries).map(({ key }) => key);
const twice = (words: readonly string[]) => words.filter((word, at) => words.indexOf(word) !== at);

describe('vocabulary', () => {
  it('keeps every key existing fleets carry', () => {
    expect({
      labels: keys(labels),
      annotations: keys(annotations),
      finalizers: keys(finalizers),
      terminatePolicy,
    }).toEqual({
      labels: [
        'tuist.dev/fleet',
        'tuist.dev/runtime',
        'tuist.dev/managed-by',
        'tuist.dev/machine',
        'tuist.dev/runner',
        'tuist.dev/runner-pool',
        'muster.dev/runner-pool-uid',
        'tuist.dev/runner-pool-owner',
        'tuist.dev/runner-account',
        'tuist.dev/runner-cache-untrusted',
        'tuist.dev/drain-eligible',
        'tuist.dev/runner-operator-drain',
        'node.cluster.x-k8s.io/pool',
        'cluster.x-k8s.io/cluster-name',
        'cluster.x-k8s.io/v1beta1',
        'cluster.x-k8s.io/v1beta2',
        'app.kubernetes.io/name',
        'app.kubernetes.io/component',
      ],
      annotations: [
        'cluster.x-k8s.io/paused',
        'tuist.dev/release-policy',
        'muster.dev/host',
        'muster.dev/taken-off',
        'muster.dev/release-skipped',
        'muster.dev/host-gone',
        'muster.dev/credentials-of',
        'scaleway.tuist.dev/ssh-key-id',
        'tuist.dev/fleet-hash',
        'muster.dev/stamped-at',
        'muster.dev/stamped-for',
        'muster.dev/served-for',
        'tuist.dev/runtime-class-revision',
      ],
      finalizers: [
        'scalewayapplesilicon.cluster.x-k8s.io/finalizer',
        'muster.dev/held',
        'tuist.dev/runner-pool-drain',
        'tart-kubelet.tuist.dev/vm-cleanup',
      ],
      terminatePolicy: 'terminate',
    });
  });

  it('names no key twice', () => {
    expect(twice([...keys(labels), ...keys(annotations), ...keys(finalizers)])).toEqual([]);
  });

  it('has each reason in one theme only', () => {
    const themed = reasonThemes.flatMap(({ meanings }) => Object.keys(meanings));
    expect(twice(themed)).toEqual([]);
    expect(themed).toEqual(Object.keys(reasons));
  });

  it('writes reasons and condition types in PascalCase', () => {
    const words = [...Object.keys(reasons), ...allConditions.map(({ type }) => type)];
    expect(words.filter((word) => !pascalCase.test(word))).toEqual([]);
  });

  it('explains every word in full sentences', () => {
    const meanings = [
      ...Object.values(reasons),
      ...allConditions.map(({ meaning }) => meaning),
      ...Object.values<VocabularyEntry>({ ...annotations, ...finalizers }).map(({ meaning }) => meaning),
      ...Object.values<VocabularyEntry>(labels).map(({ meaning }) => meaning),
    ];
    expect(meanings.filter((meaning) => !/^[A-Z`].*\.$/.test(meaning))).toEqual([]);
  });

  it('has every state of a host as a reason, and no others under that heading', () => {
    expect(Object.keys(reasonThemes[0].meanings)).toEqual([...hostStates]);
  });

  it('lists conditions for exactly the kinds that have them', () => {
    const withConditions = kinds.filter((kind) =>
      schemaFields(fieldsSchema(kind)).some(({ path }) => path === 'status.conditions'),
    );
    expect(Object.keys(byKind)).toEqual(withConditions.map(({ kind }) => kind));
  });

  it('gives each condition distinct reasons of the closed list, and one for the first reconcile', () => {
    const faulty = allConditions.filter(
      (condition) =>
        twice(condition.reasons).length > 0 ||
        condition.reasons.some((reason) => !(reason in reasons)) ||
        !condition.reasons.includes('NotYetObserved'),
    );
    expect(faulty).toEqual([]);
  });
});
