/** The simulated cloud behind the product's own client, with the wrong answers of a case. */
import { isWrite, type ApiRequest } from '../../src/hosts/provider/scaleway/api-request.ts';
import { LostReply, type Reply } from '../../src/hosts/provider/scaleway/reply.ts';
import type { Transport } from '../../src/hosts/provider/scaleway/transport.ts';
import { Cloud, type CloudPorts, type FirstMac } from '../../lab/clouds/scaleway/cloud.ts';
import { usualTiming } from '../../lab/clouds/scaleway/timing.ts';
import { idOf, type BadInput, type Rule } from './bad-input.ts';

const settledMs = 48 * 3_600_000;
/** Without random failures: a case is about one thing. */
const timing = {
  ...usualTiming,
  odds: {
    listLag: 0,
    newAddress: 0,
    sealedPassword: 0,
    bareFloor: 0,
    stuckReinstall: 0,
    otherImage: 0,
  },
};

type Place = Exclude<NonNullable<BadInput['servers']>[string], string>;
type Fields = Readonly<Record<string, unknown>>;

export class BadCloud implements Transport {
  readonly cloud: Cloud;
  /** Write requests, whatever the answer. */
  readonly writes: string[] = [];
  rules: Rule[];
  readonly #names = new Map<string, string>();

  constructor(servers: NonNullable<BadInput['servers']>, rules: readonly Rule[], ports: CloudPorts) {
    this.rules = copied(rules);
    const hosts = Object.entries(servers).map(([word, place]): FirstMac => {
      this.#names.set(idOf(word), word);
      const {
        name,
        zone = 'fr-par-1',
        type = 'M2-L',
        isNew,
      }: Place = typeof place === 'string' ? { name: place } : place;
      return { id: idOf(word), name, zone, type, ageMs: isNew === true ? 0 : settledMs };
    });
    const zones = ['fr-par-1', 'fr-par-2'];
    this.cloud = new Cloud({ zones, hosts, project: 'test', timing }, ports);
  }

  send(request: ApiRequest): Promise<Reply> {
    if (isWrite(request)) this.writes.push(this.#textOf(request));
    const rule = this.rules.find((one) => isAbout(one, request) && (one.reply ?? one.lost) !== undefined);
    if (rule?.times !== undefined) this.#useUp(rule);
    if (rule?.lost !== undefined)
      return Promise.reject(new LostReply({ certainty: rule.lost, why: 'the test lost it' }));
    if (rule?.reply !== undefined) return Promise.resolve({ body: undefined, ...rule.reply });
    const reply = this.cloud.handle(request);
    const spoilt = this.rules.filter((one) => isAbout(one, request)).reduce(spoil, reply.body);
    return Promise.resolve({ ...reply, body: spoilt });
  }

  #useUp(rule: Rule): void {
    rule.times = (rule.times ?? 1) - 1;
    if (rule.times <= 0) this.rules = this.rules.filter((one) => one !== rule);
  }

  #textOf(request: ApiRequest): string {
    const server = 'id' in request ? (this.#names.get(request.id) ?? request.id) : '';
    if (request.what !== 'update server') return `${request.what.replace(' server', '')} ${server}`;
    if (request.scheduleDeletion === true) return `schedule ${server}`;
    return `rename ${server} ${request.name}`;
  }
}

/** Rules are used up, and a case may run twice. */
export function copied(rules: readonly Rule[]): Rule[] {
  return rules.map((rule) => ({ ...rule }));
}

function isAbout({ on, about }: Rule, request: ApiRequest): boolean {
  if (on !== undefined && !on.includes(request.what)) return false;
  return about === undefined || ('id' in request && request.id === idOf(about));
}

/** A listing or a single server; any other body stays unchanged. */
function spoil(body: unknown, rule: Rule): unknown {
  const found = fieldsOf(body);
  if (!Array.isArray(found['servers'])) return spoilServer(body, rule);
  const servers = found['servers'].map((server) => spoilServer(server, rule));
  const total = 'total' in rule ? { total_count: rule.total } : {};
  const more = rule.more ?? [];
  const count = { total_count: Number(found['total_count']) + more.length };
  return { ...found, servers: [...servers, ...more], ...count, ...total };
}

function spoilServer(body: unknown, { server, fields = {}, without = [] }: Rule): unknown {
  const found = fieldsOf(body);
  if (server === undefined || found['id'] !== idOf(server)) return body;
  const whole = Object.entries({ ...found, ...fields });
  return Object.fromEntries(whole.filter(([name]) => !without.includes(name)));
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
