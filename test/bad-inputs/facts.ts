/** What a person sees of an object: its reason, its message, its fields, and its Events. */
export type Fields = Readonly<Record<string, unknown>>;
export type Listed = readonly unknown[];

export function factsOf(object: Fields, events: Listed): Fields {
  const { uid, finalizers = [] } = fieldsOf(object['metadata']);
  const reported = events.map(fieldsOf).filter((event) => fieldsOf(event['involvedObject'])['uid'] === uid);
  const common = {
    events: [...new Set(reported.map(({ reason }) => String(reason)))].toSorted(),
    messages: reported.map(({ message }) => String(message)).join('\n'),
    finalizers,
  };
  return { ...common, ...(object['kind'] === 'MacHost' ? hostFacts(object) : otherFacts(object)) };
}

function hostFacts(object: Fields): Fields {
  const spec = fieldsOf(object['spec']);
  const { state, reason, installEpoch = 0, observed } = fieldsOf(object['status']);
  return {
    state,
    reason,
    installEpoch,
    observed: fieldsOf(observed),
    claim: fieldsOf(spec['claim'])['name'] ?? 'nobody',
    isOrdered: spec['release'] !== undefined,
    isUsed: spec['used'] === true,
  };
}

function otherFacts(object: Fields): Fields {
  const spec = fieldsOf(object['spec']);
  const status = fieldsOf(object['status']);
  return {
    ...spokenBy(status['conditions']),
    has: status['serverID'] ?? 'nothing',
    phase: status['phase'],
    ready: status['ready'] ?? false,
    providerID: spec['providerID'] ?? '',
    addresses: status['addresses'] ?? [],
    data: Object.keys(fieldsOf(object['data'])).toSorted(),
  };
}

/** The condition that matters most now. */
function spokenBy(conditions: unknown): Fields {
  const all = Array.isArray(conditions) ? conditions.map(fieldsOf) : [];
  const holds = (type: string) => all.find((one) => one['type'] === type && one['status'] === 'True');
  const provisioned = all.find(({ type }) => type === 'Provisioned');
  const { reason = 'none', message = '' } = holds('Releasing') ?? holds('Paused') ?? provisioned ?? {};
  return { reason, says: message };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
