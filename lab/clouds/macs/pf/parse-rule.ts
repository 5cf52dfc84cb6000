/** Reads `pass` and `block` rules. Lists in braces become one rule for each combination, as pf loads them. */
import { familyOf, isNetwork } from './addresses.ts';
import type { Endpoint, FilterRule, PortTest } from './ruleset.ts';
import { unquoted, type Words } from './tokens.ts';

type Draft = Omit<FilterRule, 'text' | 'counters' | 'kind'> & { readonly stateText: string };

interface Hosts {
  readonly from: readonly Endpoint[];
  readonly to: readonly Endpoint[];
}

const any: Endpoint = { isNegated: false, address: 'any' };
const ports: Readonly<Record<string, number>> = { ssh: 22, domain: 53, http: 80, https: 443 };
const protocols = new Set(['tcp', 'udp', 'icmp', 'icmp6', 'igmp', 'gre', 'esp', 'ah', 'ipv6']);

export function parseFilterRule(words: Words): readonly FilterRule[] {
  const action = words.take() === 'pass' ? 'pass' : 'block';
  const manner =
    words.accept('drop', 'return', 'return-rst', 'return-icmp') ?? (action === 'block' ? 'drop' : '');
  const direction = words.accept('in', 'out');
  if (words.accept('log') !== undefined && words.accept('(') !== undefined) {
    words.take();
    words.expect(')');
  }
  const isQuick = words.accept('quick') !== undefined;
  const devices = words.accept('on') === undefined ? [undefined] : words.list(() => device(words));
  const family = words.accept('inet', 'inet6');
  const kinds = words.accept('proto') === undefined ? [undefined] : words.list(() => protocol(words));
  const hosts = hostsOf(words);
  const options = optionsOf(words, action);
  const base = { action, manner, direction, isQuick, family, ...options } as const;
  return devices.flatMap((on) =>
    kinds.flatMap((kind) =>
      hosts.from.flatMap((from) =>
        hosts.to.map((to) => ruleOf({ ...base, device: on, protocol: kind, from, to }, words)),
      ),
    ),
  );
}

function device(words: Words): { name: string; isNegated: boolean } {
  const isNegated = words.accept('!') !== undefined;
  const name = words.take();
  if (!/^[a-z]+\d*$/.test(name)) throw words.fault();
  return { name, isNegated };
}

function protocol(words: Words): string {
  const name = words.take();
  if (!protocols.has(name)) throw words.fault(`unknown protocol ${name}`);
  return name;
}

function hostsOf(words: Words): Hosts {
  if (words.accept('all') !== undefined) return { from: [any], to: [any] };
  const from = words.accept('from') === undefined ? undefined : endpoints(words);
  const to = words.accept('to') === undefined ? undefined : endpoints(words);
  return { from: from ?? [any], to: to ?? [any] };
}

function endpoints(words: Words): readonly Endpoint[] {
  const hosts = words.next === 'port' ? [any] : words.list(() => host(words));
  const tests = words.accept('port') === undefined ? [undefined] : words.list(() => portTest(words));
  return hosts.flatMap((one) => tests.map((port) => (port === undefined ? one : { ...one, port })));
}

function host(words: Words): Endpoint {
  const isNegated = words.accept('!') !== undefined;
  const address = unquoted(words.take());
  if (address === '(') {
    // The addresses of a device at the time of the packet. `(self)` loads without any: spec/host.md H2.
    const name = words.take();
    words.expect(')');
    return { isNegated, address: `(${name})` };
  }
  const isKnown = address === 'any' || address === 'self' || address === 'no-route' || /^<.+>$/.test(address);
  if (!isKnown && !isNetwork(address)) {
    if (!/^[\w.-]+$/.test(address)) throw words.fault();
    throw words.fault(`no IP address found for ${address}`);
  }
  return { isNegated, address };
}

function portTest(words: Words): PortTest {
  words.accept('=');
  const text = words.take();
  const [first = '', last] = text.split(':');
  const from = portNumber(first, words);
  return last === undefined
    ? { from, to: from, text: `= ${from}` }
    : { from, to: portNumber(last, words), text };
}

function portNumber(text: string, words: Words): number {
  const number = ports[text] ?? Number(text);
  if (!Number.isInteger(number) || number < 0 || number > 65_535) throw words.fault(`unknown port ${text}`);
  return number;
}

interface RuleOptions {
  flags: string | undefined;
  label: string | undefined;
  stateText: string;
}

/** A `pass` keeps state and looks at the first packet only, unless the rule says otherwise. */
function optionsOf(words: Words, action: 'pass' | 'block'): RuleOptions {
  const isPass = action === 'pass';
  const found: RuleOptions = {
    flags: isPass ? 'S/SA' : undefined,
    label: undefined,
    stateText: isPass ? 'keep state' : '',
  };
  while (words.next !== undefined) readOption(words, found);
  return found;
}

function readOption(words: Words, found: RuleOptions): void {
  const state = words.accept('no', 'keep', 'modulate', 'synproxy');
  if (state !== undefined) {
    words.expect('state');
    found.stateText = `${state} state`;
  } else if (words.accept('flags') !== undefined) found.flags = words.take();
  else if (words.accept('label') !== undefined) found.label = unquoted(words.take());
  else if (words.accept('tag', 'tagged', 'user') !== undefined) words.take();
  else throw words.fault();
}

function ruleOf(draft: Draft, words: Words): FilterRule {
  const { protocol: kind, from, to } = draft;
  if ((from.port ?? to.port) !== undefined && kind !== 'tcp' && kind !== 'udp')
    throw words.fault('port only applies to tcp/udp');
  const networks = [from, to].map(({ address }) => address).filter(isNetwork);
  const families = new Set(networks.map(familyOf));
  if (families.size > 1) throw words.fault('rule expands to no valid combination');
  const { stateText: _, ...rule } = draft;
  return {
    ...rule,
    kind: 'filter',
    text: textOf(draft, networks[0]),
    counters: { evaluations: 0, packets: 0 },
  };
}

/** As pfctl prints a loaded rule. */
function textOf(draft: Draft, network: string | undefined): string {
  const { action, manner, direction, isQuick, device: on, protocol: kind, flags, label } = draft;
  const parts = [
    action,
    manner,
    direction,
    isQuick && 'quick',
    on !== undefined && `on ${on.isNegated ? '! ' : ''}${on.name}`,
    familyText(draft.family, network),
    kind !== undefined && `proto ${kind}`,
    endsText(draft),
    flags !== undefined && (kind ?? 'tcp') === 'tcp' && `flags ${flags}`,
    draft.stateText,
    label !== undefined && `label "${label}"`,
  ];
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' ');
}

function familyText(family: string | undefined, network: string | undefined): string {
  if (family !== undefined || network === undefined) return family ?? '';
  return familyOf(network) === 'ipv6' ? 'inet6' : 'inet';
}

function endsText({ from, to }: Draft): string {
  const isAll = [from, to].every(({ address, port }) => address === 'any' && port === undefined);
  return isAll ? 'all' : `from ${endText(from)} to ${endText(to)}`;
}

function endText({ isNegated, address, port }: Endpoint): string {
  return `${isNegated ? '! ' : ''}${address}${port === undefined ? '' : ` port ${port.text}`}`;
}
