/** Turns a change of a MacHost, a machine or an Event into facts of the story. */
import { isJsonObject, type Json, type JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { Change } from '../../world/live-view.ts';

export function fieldOf(object: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    object,
  );
}

export function textOf(object: Json | undefined, ...path: readonly string[]): string {
  const value = fieldOf(object, ...path);
  return typeof value === 'string' ? value : '';
}

/** The text of one aspect of an object; a changed text is a fact, and an empty text is not printed. */
type Aspect = (object: JsonObject | undefined) => string;

const hostAspects: readonly Aspect[] = [
  (host) => (host === undefined ? 'has no object any more' : ''),
  (host) => {
    const name = textOf(host, 'spec', 'claim', 'name');
    return name === '' ? 'is unclaimed' : `is claimed by ${name}`;
  },
  (host) => {
    const [policy, by] = [
      textOf(host, 'spec', 'release', 'policy'),
      textOf(host, 'spec', 'release', 'orderedBy'),
    ];
    return policy === '' ? '' : `is ordered: ${policy}, by ${by}`;
  },
  (host) => (fieldOf(host, 'spec', 'hold') === undefined ? '' : 'is kept aside'),
  (host) => (textOf(host, 'status', 'wipe', 'askedAt') === '' ? '' : 'is about to be wiped'),
  (host) => {
    const epoch = fieldOf(host, 'status', 'installEpoch');
    return typeof epoch === 'number' ? `was seen wiped, ${epoch} in all` : '';
  },
  (host) => {
    const [state, reason] = [textOf(host, 'status', 'state'), textOf(host, 'status', 'reason')];
    return state === '' ? '' : `is ${state}${reason === state ? '' : `, ${reason}`}`;
  },
];

const machineAspects: readonly Aspect[] = [
  (machine) => (machine === undefined ? 'is gone' : ''),
  (machine) => (textOf(machine, 'metadata', 'uid') === '' ? '' : 'is wanted'),
  (machine) => (textOf(machine, 'metadata', 'deletionTimestamp') === '' ? '' : 'is leaving'),
  (machine) => {
    const id = textOf(machine, 'status', 'serverID');
    return id === '' ? 'has no host' : `has ${id}`;
  },
  (machine) => {
    const condition = tellingCondition(machine);
    const [reason, message] = [textOf(condition, 'reason'), textOf(condition, 'message')];
    return reason === '' ? '' : `says ${reason}${message === '' ? '' : `: ${message}`}`;
  },
];

/** Returns the condition that describes the state of the machine. */
export function tellingCondition(machine: Json | undefined): Json | undefined {
  const conditions = fieldOf(machine, 'status', 'conditions');
  const all = Array.isArray(conditions) ? conditions : [];
  const paused = all.find(
    (one: Json) => textOf(one, 'type') === 'Paused' && textOf(one, 'status') === 'True',
  );
  const leaving = all.find((one: Json) => textOf(one, 'type') === 'Releasing');
  return leaving ?? paused ?? all.find((one: Json) => textOf(one, 'type') === 'Provisioned');
}

export function hostFacts(change: Change): readonly string[] {
  const name = textOf(change.after ?? change.before, 'metadata', 'name');
  return differences(change, hostAspects).map((text) => `host ${name} ${text}`);
}

export function machineFacts(change: Change): readonly string[] {
  const name = textOf(change.after ?? change.before, 'metadata', 'name');
  return differences(change, machineAspects).map((text) => `machine ${name} ${text}`);
}

/** Reports a new holder of the lease. */
export function leaseFacts({ before, after }: Change): readonly string[] {
  const [was, is] = [before, after].map((lease) =>
    textOf(lease, 'spec', 'holderIdentity').replace(/#\d+$/, ''),
  );
  return is === was || is === undefined || is === '' ? [] : [`${is} holds the lease`];
}

/** Reports warnings only, and each warning once. */
export function eventFacts({ before, after }: Change): readonly string[] {
  if (before !== undefined || textOf(after, 'type') !== 'Warning') return [];
  const [kind, name] = [textOf(after, 'involvedObject', 'kind'), textOf(after, 'involvedObject', 'name')];
  return [`warns of ${kind === 'MacHost' ? 'host' : 'machine'} ${name}: ${textOf(after, 'reason')}`];
}

function differences({ before, after }: Change, aspects: readonly Aspect[]): readonly string[] {
  if (after === undefined) return [aspects[0]?.(undefined) ?? ''];
  return aspects.flatMap((aspect) => {
    const said = aspect(after);
    // A new object lacks most aspects; a missing aspect is no fact then.
    return said === '' || said === aspect(before ?? {}) || said === aspect(before) ? [] : [said];
  });
}
