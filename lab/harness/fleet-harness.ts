/**
 * Runs the fleet commands against the embedded API with our CRDs, on virtual time: a test creates hosts and machines,
 * plays the manager, answers prompts, and reads the output.
 */
import { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import { installKinds } from '../../src/embedded/kubernetes-api/installed-kinds.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { KubeRequest } from '../../src/kube/client/transport.ts';
import { RandomStreams } from '../simulator/engine/random-streams.ts';
import { askServer } from './ask-server.ts';
import { EmbeddedTransport } from './embedded-transport.ts';
import { TestClock } from './test-clock.ts';

export interface Said {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

type Fields = Readonly<Record<string, unknown>>;

const pollMs = 2000;
const kubeconfig = JSON.stringify({
  'current-context': 'test',
  clusters: [{ name: 'test', cluster: { server: 'https://cluster.example' } }],
  users: [{ name: 'test', user: { token: 'none' } }],
  contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
});

export class FleetHarness {
  readonly clock = new TestClock(Date.UTC(2026, 10, 3, 12));
  readonly #random = new RandomStreams(1).stream('test');
  readonly #server: ApiServer;
  readonly transport: EmbeddedTransport;
  readonly files: Record<string, string> = { '/kubeconfig': kubeconfig };
  env: Record<string, string> = { KUBECONFIG: '/kubeconfig' };
  /** The input for each prompt; without it there is no terminal. */
  answers: string[] | undefined;
  readonly questions: string[] = [];
  /** The actions of the manager, called whenever a command waits. */
  manager: () => void = () => undefined;

  constructor() {
    const tokenSecret = new Uint8Array(32);
    this.#server = new ApiServer({
      clock: this.clock,
      random: this.#random,
      tokenSecret,
      controllers: { scheduling: 'off' },
    });
    this.transport = new EmbeddedTransport(this.#server);
  }

  install(): this {
    installKinds(this.#server);
    // Runs the effects, such as the paths of the new kinds.
    this.clock.runDue();
    return this;
  }

  /** Runs a command to its end; whenever it waits, the manager acts and time passes. */
  async muster(...args: readonly string[]): Promise<Said> {
    let [out, err] = ['', ''];
    const ended: number[] = [];
    const terminal = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
    };
    const { clock } = this;
    const ports = { terminal, clock, random: this.#random, stopped: new Promise<void>(() => undefined) };
    void runProgram(args, '1.2.3', { ...ports, outside: this.#outside() }).then((code) => ended.push(code));
    while (ended.length === 0) {
      await clock.settle();
      const nextAt = clock.nextAt();
      if (nextAt === undefined || nextAt - clock.now() > pollMs) continue;
      this.manager();
      await clock.next();
    }
    const [status = Number.NaN] = ended;
    return { status, out, err };
  }

  #outside() {
    const { answers, transport } = this;
    return {
      env: this.env,
      readFile: async (path: string) => {
        const text = this.files[path];
        if (text === undefined) throw new Error(`ENOENT: no such file ${path}`);
        return Promise.resolve(text);
      },
      runProgram: () => Promise.reject(new Error('there are no programs here')),
      transport: () => transport,
      ...(answers !== undefined && {
        ask: (question: string) => {
          this.questions.push(question);
          return Promise.resolve(answers.shift());
        },
      }),
    };
  }

  /** A MacHost; by default its last observation is a ready M2-L with Tahoe. */
  host(id: string, spec: Fields, status: Fields & { readonly observed?: Fields } = {}): Fields {
    const path = '/apis/muster.dev/v1alpha1/machosts';
    this.#ask('POST', path, {
      apiVersion: 'muster.dev/v1alpha1',
      kind: 'MacHost',
      metadata: { name: id },
      spec,
    });
    const observed = {
      name: `server-${id.slice(0, 4)}`,
      zone: 'fr-par-1',
      type: 'M2-L',
      os: { family: 'Tahoe' },
      status: 'ready',
      delivered: true,
      pricePerHourEuros: 0.11,
      ...status.observed,
    };
    return this.patchHost(id, { status: { installEpoch: 1, ...status, observed } }, 'status');
  }

  /** A machine in `ci`, by default with our finalizer. */
  machine(
    name: string,
    spec: Fields = {},
    more: { readonly metadata?: Fields; readonly status?: Fields } = {},
  ): string {
    const apiVersion = 'infrastructure.cluster.x-k8s.io/v1alpha1';
    const metadata = {
      name,
      namespace: 'ci',
      finalizers: ['scalewayapplesilicon.cluster.x-k8s.io/finalizer'],
      ...more.metadata,
    };
    const body = { apiVersion, kind: 'ScalewayAppleSiliconMachine', metadata, spec };
    const made = this.#ask('POST', machinesPath, body);
    if (more.status !== undefined) this.patchMachine(name, { status: more.status }, 'status');
    return String(fieldsOf(made['metadata'])['uid']);
  }

  patchHost(id: string, change: Fields, subresource?: string): Fields {
    return this.#ask('PATCH', pathOf(`/apis/muster.dev/v1alpha1/machosts/${id}`, subresource), change);
  }

  deleteHost(id: string): void {
    this.#ask('DELETE', `/apis/muster.dev/v1alpha1/machosts/${id}`);
  }

  patchMachine(name: string, change: Fields, subresource?: string): Fields {
    return this.#ask('PATCH', pathOf(`${machinesPath}/${name}`, subresource), change);
  }

  deleteMachine(name: string): void {
    this.#ask('DELETE', `${machinesPath}/${name}`);
  }

  get(path: string): Fields {
    return this.#ask('GET', path);
  }

  specOf(id: string): Fields {
    return fieldsOf(this.get(`/apis/muster.dev/v1alpha1/machosts/${id}`)['spec']);
  }

  machineNames(): readonly string[] {
    const { items } = this.get(machinesPath);
    return Array.isArray(items)
      ? items.map((item) => String(fieldsOf(fieldsOf(item)['metadata'])['name']))
      : [];
  }

  post(path: string, body: Fields): Fields {
    return this.#ask('POST', path, body);
  }

  patch(path: string, change: Fields): Fields {
    return this.#ask('PATCH', path, change);
  }

  #ask(method: KubeRequest['method'], path: string, body?: Fields): Fields {
    return askServer(this.#server, { method, path, body });
  }
}

const machinesPath =
  '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/ci/scalewayapplesiliconmachines';

function pathOf(path: string, subresource: string | undefined): string {
  return subresource === undefined ? path : `${path}/${subresource}`;
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** An id in the provider's form, with the given first letters. */
export function idOf(start: string): string {
  return `${start.padEnd(8, '0')}-0000-4000-8000-000000000000`;
}
