/** Configurations of pf: what is read, what is refused, and how loaded rules are printed. */
import { describe, expect, it } from 'vitest';
import { stockPfConf } from '../disk.ts';
import { isMatch, type Packet } from './match.ts';
import { parseRuleset } from './parse.ts';
import { parseOptions } from './pfctl-options.ts';
import type { FilterRule } from './ruleset.ts';

const filterRules = (text: string): readonly FilterRule[] =>
  parseRuleset(text).rules.filter((rule): rule is FilterRule => rule.kind === 'filter');
const printed = (text: string): readonly string[] => filterRules(text).map((rule) => rule.text);

describe('a rule', () => {
  it.each([
    ['block all', ['block drop all']],
    ['pass', ['pass all flags S/SA keep state']],
    ['block return in log quick on en0 inet6 all', ['block return in quick on en0 inet6 all']],
    [
      'pass out proto tcp from any to 10.0.0.1 port 22',
      ['pass out inet proto tcp from any to 10.0.0.1 port = 22 flags S/SA keep state'],
    ],
    [
      'pass out quick proto udp to any port 30000:32767 no state',
      ['pass out quick proto udp from any to any port 30000:32767 no state'],
    ],
    [
      'pass in proto tcp from <a> to ! self flags any label "x y"',
      ['pass in proto tcp from <a> to ! self flags any keep state label "x y"'],
    ],
    [
      'block in on ! lo0 proto { tcp, udp } to port ssh',
      [
        'block drop in on ! lo0 proto tcp from any to any port = 22',
        'block drop in on ! lo0 proto udp from any to any port = 22',
      ],
    ],
    [
      'block out from { 10.0.0.0/8 !10.1.0.0/16 } to any',
      ['block drop out inet from 10.0.0.0/8 to any', 'block drop out inet from ! 10.1.0.0/16 to any'],
    ],
    ['pass out from any to (en0)', ['pass out from any to (en0) flags S/SA keep state']],
  ])('%s', (text, expected) => {
    expect(printed(text)).toEqual(expected);
  });

  it.each([
    ['block drop from 10.0.0.0/33 to any', 'no IP address found for 10.0.0.0/33|syntax error'],
    ['block drop from host.example to any', 'no IP address found for host.example'],
    ['block drop to any port 22', 'port only applies to tcp/udp'],
    ['block drop proto tcp to any port 70000', 'unknown port 70000'],
    ['block drop from 10.0.0.1 to fe80::1', 'rule expands to no valid combination'],
    ['block drop proto carrier', 'unknown protocol carrier'],
    ['block drop from any to', 'syntax error'],
    ['block drop quickly', 'syntax error'],
    ['pass out keep', 'syntax error'],
    ['block drop from { 10.0.0.1', 'syntax error'],
    ['block drop label "x', 'syntax error'],
    ['nat on en0 from any to any', 'syntax error'],
    ['anchor "a b"', 'syntax error'],
    ['table vm { 10.0.0.1 }', 'syntax error'],
    ['table <vm> { ten }', 'no IP address found for ten'],
    ['table <vm> { 10.0.0.1 }\ntable <vm> { 10.0.0.2 }', 'cannot define table vm: Resource busy'],
    ['block drop from $missing', "macro 'missing' not defined"],
    ['pass all\nnat on en0 from any to any -> (en0)', 'Rules must be in order'],
    ['pass all\nnat-anchor "x"', 'Rules must be in order'],
  ])('%j is refused', (text, message) => {
    expect(() => parseRuleset(`${text}\n`)).toThrow(new RegExp(message.replaceAll(/[/.]/g, '\\$&')));
  });
});

describe('a configuration', () => {
  it('of Apple is read', () => {
    const { rules, loads } = parseRuleset(stockPfConf);
    expect(rules).toHaveLength(5);
    expect(loads).toEqual([{ anchor: 'com.apple', file: '/etc/pf.anchors/com.apple' }]);
  });

  it('may have macros, comments, continued lines and tables over several lines', () => {
    const text = [
      '# a comment with { a brace',
      'net = "10.0.0.0/8" # why',
      'set skip on lo0',
      'table <t> persist {',
      '  10.0.0.1, # one',
      '  !10.0.0.2',
      '}',
      'block drop out \\',
      '  from $net to any',
    ].join('\n');
    expect(printed(text)).toEqual(['block drop out inet from 10.0.0.0/8 to any']);
    expect(parseRuleset(text).tables).toEqual([
      { name: 't', isPersistent: true, addresses: ['10.0.0.1', '!10.0.0.2'] },
    ]);
  });

  it('names the line of its fault', () => {
    expect(() => parseRuleset('block all\n\nnonsense\n')).toThrow(expect.objectContaining({ line: 3 }));
  });
});

describe('a packet', () => {
  const packet: Packet = {
    direction: 'out',
    device: 'en0',
    protocol: 'tcp',
    source: '192.168.64.2',
    destination: '10.0.0.1',
    port: 22,
    self: ['10.0.0.1'],
    isFirst: true,
  };
  const table = { name: 't', isPersistent: false, addresses: ['10.0.0.0/8', '!10.0.0.2', 'self'] };
  const matches = (text: string, more: Partial<Packet> = {}): boolean =>
    filterRules(text).some((rule) => isMatch(rule, { ...packet, ...more }, () => table));

  it.each([
    ['block all', {}, true],
    ['block in all', {}, false],
    ['block on en0 all', {}, true],
    ['block on en all', {}, true],
    ['block on ! en0 all', {}, false],
    ['block proto udp all', {}, false],
    ['block inet6 all', {}, false],
    ['block from 192.168.64.0/22 to any', {}, true],
    ['block from ! 192.168.64.0/22 to any', {}, false],
    ['block from any to <t>', {}, true],
    ['block from any to <t>', { destination: '10.0.0.2' }, false],
    ['block from any to <t>', { destination: '11.0.0.2' }, false],
    ['block from any to self', {}, true],
    ['block from any to (self)', {}, false],
    ['block from any to (en0)', {}, true],
    ['block proto tcp from any port 22 to any', {}, false],
    ['block proto tcp to any port 20:22', {}, true],
    ['block proto tcp to any port 23', {}, false],
    // The very session that loads such rules goes on only with `flags any`.
    ['pass proto tcp to any port 22', { isFirst: false }, false],
    ['pass proto tcp to any port 22 flags any', { isFirst: false }, true],
  ] as const)('%s with %j: %s', (text, more, expected) => {
    expect(matches(text, more)).toBe(expected);
  });
});

describe('the options of pfctl', () => {
  it.each([
    [['-nvf', 'file'], ['n', 'v'], { f: 'file' }, []],
    [['-sr', '-a', 'x'], [], { s: 'r', a: 'x' }, []],
    [['-t', 't', '-T', 'add', '1.2.3.4'], [], { t: 't', T: 'add' }, ['1.2.3.4']],
    [['-f', '-', '-E'], ['E'], { f: '-' }, []],
  ])('%j', (args, flags, values, rest) => {
    const options = parseOptions(args);
    expect([...(options?.flags ?? [])]).toEqual(flags);
    expect(Object.fromEntries(options?.values ?? [])).toEqual(values);
    expect(options?.rest).toEqual(rest);
  });

  it.each([[['-f']], [['-y']], [['-nZ']]])('refuses %j', (args) => {
    expect(parseOptions(args)).toBeUndefined();
  });
});
