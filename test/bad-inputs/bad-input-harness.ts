/** Runs one bad input to its end: the real manager on the embedded API, the simulated cloud, and virtual time. */
import { ownIdentity } from '../../src/embedded/kubernetes-api/auth/identity.ts';
import { installKinds } from '../../src/embedded/kubernetes-api/installed-kinds.ts';
import type { Json } from '../../src/embedded/kubernetes-api/json.ts';
import { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import { FleetManager } from '../../src/manager/manager.ts';
import type { FleetSettings } from '../../src/manager/host-settings.ts';
import { ScalewayProvider } from '../../src/hosts/provider/scaleway/scaleway-provider.ts';
import { RateLimit } from '../../src/platform/rate-limit.ts';
import { clusterApiDefinitions } from '../../lab/clouds/cluster-api/crds.ts';
import { RandomStreams } from '../../lab/simulator/engine/random-streams.ts';
import { EmbeddedTransport } from '../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { BadCloud, copied } from './bad-cloud.ts';
import { idOf, type BadInput, type BadObject, type Step } from './bad-input.ts';
import { factsOf, type Fields, type Listed } from './facts.ts';

const minuteMs = 60_000;
const callsPerMinuteMax = 4;
const goodName = 'runners-good';
const goodRename = `rename good ${goodName}`;

const settings: FleetSettings = {
  zones: ['fr-par-1'],
  defaultPoolPrefix: 'pool-',
  claimPrefix: 'runners-',
  inventoryIntervalMs: 30_000,
  sweepIntervalMs: minuteMs,
  reclaimsMax: 5,
  workers: 4,
  secretsNamespace: 'default',
  leaseNamespace: 'default',
  leaseName: 'muster-manager',
  lease: { durationMs: minuteMs, actMs: 45_000, handoverMs: 0 },
};

const kinds: Readonly<Record<BadObject['kind'], { apiVersion: string; kind: string; plural: string }>> = {
  machine: infrastructure('ScalewayAppleSiliconMachine'),
  template: infrastructure('ScalewayAppleSiliconMachineTemplate'),
  'infra-cluster': infrastructure('ScalewayAppleSiliconCluster'),
  host: { apiVersion: 'muster.dev/v1alpha1', kind: 'MacHost', plural: 'machosts' },
  'control-plane': {
    apiVersion: 'controlplane.cluster.x-k8s.io/v1alpha1',
    kind: 'MusterControlPlane',
    plural: 'mustercontrolplanes',
  },
  Cluster: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', plural: 'clusters' },
  Secret: { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' },
};

function infrastructure(kind: string) {
  const apiVersion = 'infrastructure.cluster.x-k8s.io/v1alpha1';
  return { apiVersion, kind, plural: `${kind.toLowerCase()}s` };
}

function folderOf(word: string): string {
  const [, kind] = Object.entries(kinds).find(([name]) => name === word) ?? [];
  if (kind === undefined) throw new Error(`${word}: there is no such kind`);
  return `${kind.apiVersion.includes('/') ? '/apis' : '/api'}/${kind.apiVersion}/${kind.plural}`;
}

export interface Outcome {
  readonly ends: Readonly<Record<string, unknown>>;
  readonly refused: string;
  readonly writes: readonly string[];
  /** The same request is repeated endlessly. */
  readonly isStorm: boolean;
  /** The state of the good machine. */
  readonly good: unknown;
  readonly crashes: readonly unknown[];
}

export class BadInputHarness {
  readonly #input: BadInput;
  readonly #clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly #server: ApiServer;
  readonly #cloud: BadCloud;
  readonly #manager: FleetManager;
  readonly #crashes: unknown[] = [];
  #isStarted = false;
  #refused = '';
  #minutes = 0;

  constructor(input: BadInput) {
    this.#input = input;
    const clock = this.#clock;
    const streams = new RandomStreams(1);
    const random = streams.stream('test');
    this.#server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
    installKinds(this.#server);
    const isAbove = input.steps?.some((step) => 'create' in step && step.create.kind === 'Cluster') === true;
    for (const definition of isAbove ? clusterApiDefinitions : [])
      this.#ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    clock.runDue();
    const servers = { good: 'spare-good', ...input.servers };
    const ports = { clock, random: (name: string) => streams.stream(name) };
    this.#cloud = new BadCloud(servers, input.cloud ?? [], ports);
    const limit = new RateLimit(clock, { perSecond: 5, burst: 20 });
    const provider = new ScalewayProvider({ transport: this.#cloud, clock, limit, projectId: 'test' });
    const crash = (error: unknown) => void this.#crashes.push(error);
    this.#manager = new FleetManager(
      { ...settings, ...input.settings },
      {
        transport: new EmbeddedTransport(this.#server),
        provider,
        clock,
        random,
        identity: 'test',
        log: () => undefined,
        exit: crash,
        crash,
      },
    );
  }

  async play(): Promise<Outcome> {
    const { steps = [], minutes, ends } = this.#input;
    this.#create({ kind: 'machine', name: goodName, spec: { adoptPoolPrefix: 'spare-' } });
    for (const step of steps) await this.#take(step);
    await this.#pass(minutes);
    const seen = Object.fromEntries(Object.keys(ends).map((about) => [about, this.#factsOf(about)]));
    const calls = this.#cloud.writes.filter((call) => call !== goodRename);
    const writes = [...new Set(calls)];
    const isStorm = calls.length > (this.#input.callsMax ?? callsPerMinuteMax * this.#minutes);
    if (this.#cloud.rules.length > 0) {
      this.#cloud.rules = [];
      await this.#pass(10);
    }
    const good = this.#factsOf(`machine ${goodName}`);
    await this.#end();
    return { ends: seen, refused: this.#refused, writes, isStorm, good, crashes: this.#crashes };
  }

  async #take(step: Step): Promise<void> {
    if ('pass' in step) return this.#pass(step.pass);
    if ('cloud' in step) return void (this.#cloud.rules = copied(step.cloud));
    if ('create' in step) return this.#create(step.create);
    if ('delete' in step) return this.#note(this.#ask('DELETE', this.#pathOf(step.delete)));
    const below = step.below === undefined ? '' : `/${step.below}`;
    this.#note(this.#ask('PATCH', `${this.#pathOf(step.change)}${below}`, step.with));
  }

  /** A status can only be written once the object exists. */
  #create({ kind, name, namespace, status, ...object }: BadObject): void {
    const { apiVersion, kind: fullKind } = kinds[kind];
    const metadata = { name, ...object.metadata };
    const about = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    const path = this.#pathOf(about);
    const folder = path.slice(0, path.lastIndexOf('/'));
    if (namespace !== undefined)
      this.#ask('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
    this.#note(this.#ask('POST', folder, { apiVersion, kind: fullKind, ...object, metadata }));
    if (status !== undefined && this.#refused === '')
      this.#note(this.#ask('PATCH', `${path}/status`, { status }));
  }

  #note(refusal: string): void {
    if (this.#refused !== '') throw new Error(`nothing can follow on a refusal: ${this.#refused}`);
    this.#refused = refusal;
  }

  /** Parses `machine ci/name`; a missing namespace means the default namespace, for namespaced kinds. */
  #pathOf(about: string): string {
    const [word = '', place = ''] = about.split(' ');
    const [name = '', namespace = 'default'] = place.split('/').toReversed();
    if (word === 'host') return `${folderOf(word)}/${/^([a-z]|good)$/.test(name) ? idOf(name) : name}`;
    return folderOf(word).replace(/[^/]*$/, (plural) => `namespaces/${namespace}/${plural}/${name}`);
  }

  #factsOf(about: string): unknown {
    const found = this.#get(this.#pathOf(about));
    const events = this.#get('/api/v1/events')['items'];
    const listed: Listed = Array.isArray(events) ? events : [];
    return found['kind'] === 'Status' ? 'gone' : factsOf(found, listed);
  }

  async #pass(minutes: number): Promise<void> {
    if (!this.#isStarted) this.#manager.start();
    this.#isStarted = true;
    this.#minutes += minutes;
    await this.#clock.pass(minutes * minuteMs);
  }

  async #end(): Promise<void> {
    const ended = this.#manager.stop();
    await this.#clock.pass(minuteMs);
    await ended;
  }

  #get(path: string): Fields {
    const answer = this.#server.handle({ identity: ownIdentity, method: 'GET', path, query: {} });
    return 'status' in answer ? structuredClone(answer.body) : {};
  }

  /** Returns the message of a refusal, else an empty string. */
  #ask(method: 'POST' | 'PATCH' | 'DELETE', path: string, content?: object): string {
    const body: Json | undefined = content === undefined ? undefined : JSON.parse(JSON.stringify(content));
    const contentType = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
    const answer = this.#server.handle({
      identity: ownIdentity,
      method,
      path,
      query: {},
      ...contentType,
      ...(body !== undefined && { body }),
    });
    if (!('status' in answer)) return 'it was not taken for a write';
    return answer.status < 300 ? '' : JSON.stringify(answer.body['message']);
  }
}
