/** Allocates the addresses and ports of Services from fixed ranges, each to one Service only. */
import type { Random } from '../../../platform/random.ts';
import { without, type JsonObject } from '../json.ts';
import { numberAt, textAt, withFields, type KubeObject } from '../kube-object.ts';
import { invalid, type Cause } from '../status-error.ts';
import { wrong } from './causes.ts';
import { filled, objectAt, objectsAt, textsAt, withEach } from './reading.ts';
import type { Surroundings } from './resource.ts';
import { hasAddress, isHeadless, isOutside } from './service.ts';

/** 10.96.0.0/16, without the first and the last address. */
const network = '10.96';
const addresses = { first: 1, last: 65_534 } as const;
/** The first address is reserved for the Service of the API server. */
export const apiServiceAddress = addressOf(addresses.first);
const nodePorts = { first: 30_000, last: 32_767 } as const;
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

type Range = typeof addresses | typeof nodePorts;

export function admitService(
  service: KubeObject,
  old: KubeObject | undefined,
  around: Surroundings,
): KubeObject {
  const others = othersThan(service, around);
  const spec = withKept(objectAt(service, 'spec'), old);
  const allocation = new Allocation(service, others, around.random);
  return withFields(service, { spec: allocation.withNodePorts(allocation.withAddress(spec, old)) });
}

function othersThan(service: KubeObject, { store }: Surroundings): readonly JsonObject[] {
  const snapshot = store.list('services');
  if (snapshot === 'expired') throw new Error('the current state cannot have expired');
  const { name, namespace } = service.metadata;
  return snapshot.items
    .filter(({ metadata }) => metadata.name !== name || metadata['namespace'] !== namespace)
    .map((other) => objectAt(other, 'spec'));
}

/** An update without the allocated values keeps them. */
function withKept(spec: JsonObject, old: KubeObject | undefined): JsonObject {
  const before = old === undefined ? {} : objectAt(old, 'spec');
  if (old === undefined || !hasAddress(spec)) return hasAddress(spec) ? spec : withoutAddress(spec, before);
  const given = hasAddress(before) ? filled(spec, pick(before, ['clusterIP', 'clusterIPs'])) : spec;
  const kept = filled(given, pick(before, ['ipFamilies', 'ipFamilyPolicy']));
  const ports = objectsAt(before, 'ports');
  if (isOutside(kept) && isOutside(before))
    return withEach(kept, 'ports', (port) => withOldNodePort(port, ports));
  return isOutside(before) && !isOutside(kept) ? withoutOldNodePorts(kept, ports) : kept;
}

function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)));
}

/** A Service without an address loses the dependent fields. */
function withoutAddress(spec: JsonObject, before: JsonObject): JsonObject {
  const stale = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'].filter(
    (key) => before[key] !== undefined && JSON.stringify(before[key]) === JSON.stringify(spec[key]),
  );
  return withoutOldNodePorts(without(spec, ...stale), objectsAt(before, 'ports'));
}

function withOldNodePort(port: JsonObject, before: readonly JsonObject[]): JsonObject {
  const same = before.find(
    (other) => other['port'] === port['port'] && other['protocol'] === port['protocol'],
  );
  return same?.['nodePort'] === undefined ? port : filled(port, { nodePort: same['nodePort'] });
}

function withoutOldNodePorts(spec: JsonObject, before: readonly JsonObject[]): JsonObject {
  const had = new Set(before.map((port) => port['nodePort']));
  const ports = withEach(spec, 'ports', (port) =>
    had.has(port['nodePort'] ?? 0) ? without(port, 'nodePort') : port,
  );
  return without(ports, 'externalTrafficPolicy', 'allocateLoadBalancerNodePorts');
}

class Allocation {
  readonly #service: KubeObject;
  readonly #others: readonly JsonObject[];
  readonly #random: Random;

  constructor(service: KubeObject, others: readonly JsonObject[], random: Random) {
    this.#service = service;
    this.#others = others;
    this.#random = random;
  }

  withAddress(spec: JsonObject, old: KubeObject | undefined): JsonObject {
    if (!hasAddress(spec)) return spec;
    const asked = textAt(spec, 'clusterIP') ?? textsAt(spec, 'clusterIPs')[0] ?? '';
    const had = old !== undefined && textAt(objectAt(old, 'spec'), 'clusterIP') !== undefined;
    if (!had && asked !== '' && asked !== 'None') this.#refuseAddress(asked);
    const clusterIP = asked === '' ? this.#freeAddress() : asked;
    const whole = { ...spec, clusterIP, clusterIPs: [clusterIP] };
    return filled(whole, familiesOf(whole));
  }

  #freeAddress(): string {
    const taken = new Set(this.#others.map((other) => textAt(other, 'clusterIP') ?? '')).add(
      apiServiceAddress,
    );
    const number = this.#free(addresses, (one) => taken.has(addressOf(one)));
    return addressOf(number);
  }

  #refuseAddress(asked: string): void {
    if (!ipv4.test(asked))
      throw this.#refusal(wrong('spec.clusterIPs[0]', asked, 'must be a valid IP address'));
    const taken = this.#others.some((other) => textAt(other, 'clusterIP') === asked);
    if (asked.startsWith(`${network}.`) && !taken) return;
    const why = taken ? 'provided IP is already allocated' : 'not in the range of this server';
    throw this.#refusal(wrong('spec.clusterIPs', [asked], `failed to allocate IP ${asked}: ${why}`));
  }

  withNodePorts(spec: JsonObject): JsonObject {
    if (!isOutside(spec) || spec['allocateLoadBalancerNodePorts'] === false) return spec;
    const taken = new Set(
      this.#others.flatMap((other) =>
        objectsAt(other, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0),
      ),
    );
    return withEach(spec, 'ports', (port, index) => {
      const asked = numberAt(port, 'nodePort') ?? 0;
      if (asked !== 0) this.#refusePort(asked, taken, `spec.ports[${index}].nodePort`);
      const nodePort = asked === 0 ? this.#free(nodePorts, (one) => taken.has(one)) : asked;
      taken.add(nodePort);
      return { ...port, nodePort };
    });
  }

  #refusePort(asked: number, taken: ReadonlySet<number>, field: string): void {
    if (taken.has(asked)) throw this.#refusal(wrong(field, asked, 'provided port is already allocated'));
    if (asked < nodePorts.first || asked > nodePorts.last)
      throw this.#refusal(wrong(field, asked, `not in the range ${nodePorts.first}-${nodePorts.last}`));
  }

  /** The first free value after a random start. */
  #free({ first, last }: Range, isTaken: (one: number) => boolean): number {
    const count = last - first + 1;
    const start = Math.floor(this.#random.next() * count);
    for (let step = 0; step < count; step += 1) {
      const one = first + ((start + step) % count);
      if (!isTaken(one)) return one;
    }
    throw this.#refusal(wrong('spec', null, 'the range of this server is used up'));
  }

  #refusal(cause: Cause): Error {
    return invalid({ group: '', kind: 'Service', name: this.#service.metadata.name }, [cause]);
  }
}

function addressOf(number: number): string {
  return `${network}.${Math.floor(number / 256)}.${number % 256}`;
}

/** A headless Service without a selector may have any IP family. */
function familiesOf(spec: JsonObject): JsonObject {
  const anyone = isHeadless(spec) && Object.keys(objectAt(spec, 'selector')).length === 0;
  return anyone
    ? { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }
    : { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
}
