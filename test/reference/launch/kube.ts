/**
 * A real control plane on loopback: etcd and kube-apiserver, with kube-controller-manager and
 * kube-scheduler where asked for. Disposable: etcd does not sync to disk.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { MissingReferenceError } from '../reference-error.ts';
import { runCommand, type Outcome } from '../run-command.ts';
import {
  createAuthority,
  type Authority,
  type KeyPair,
} from '../../../src/embedded/kubernetes-api/http/certificates.ts';
import { auditFlags, auditLinesIn, type AuditLine } from './audit.ts';
import { signingKeys } from './signing-keys.ts';
import { httpsStatus } from './https-status.ts';
import { kubeconfig } from '../../../src/embedded/kubernetes-api/http/kubeconfig.ts';
import type { Server } from './server.ts';
import type { Workplace } from './workplace.ts';

export type KubePrograms = Readonly<
  Record<'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubectl', string>
>;

export interface KubeOrder {
  readonly workplace: Workplace;
  /** The paths of the programs. */
  readonly programs: KubePrograms;
  readonly alsoRun?: readonly ('controller-manager' | 'scheduler')[];
  /** Users whose requests are written to an audit log. */
  readonly audited?: readonly string[];
  /** Free ports by default: etcd, kube-apiserver, kube-controller-manager, kube-scheduler. */
  readonly ports?: readonly number[];
}

export interface Kube {
  readonly url: string;
  /** The path of a kubeconfig with all permissions. */
  readonly adminKubeconfig: string;
  readonly authority: Authority;
  /** The kubectl of this control plane as administrator, with its own discovery cache. */
  kubectl(args: readonly string[], input?: string): Promise<Outcome>;
  /** The same, for a command that must succeed; returns its output. */
  mustKubectl(args: readonly string[], input?: string): Promise<string>;
  /** Kills the API server, runs `meanwhile`, and starts the server again on the same state. */
  crashApiServer(meanwhile?: () => Promise<void>): Promise<void>;
  /** Compacts etcd to its present revision. */
  forgetHistory(): Promise<void>;
  /** The requests of the audited users so far. */
  auditLog(): Promise<readonly AuditLine[]>;
}

/** The controllers that need no kubelet. The full set would taint every Node for missing heartbeats. */
const controllers = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
];

export async function startKube(order: KubeOrder): Promise<Kube> {
  const place = await furnish(order);
  const [, first] = await Promise.all([startEtcd(place), startApiServer(place)]);
  let apiServer = first;
  const adminKubeconfig = await place.writeKubeconfig('admin', ['system:masters']);
  const kubectl: Kube['kubectl'] = (args, input) =>
    runCommand(order.programs.kubectl, args, {
      env: { ...process.env, KUBECONFIG: adminKubeconfig, KUBECACHEDIR: join(place.dir, 'kubectl-cache') },
      unless: order.workplace.died,
      ...(input !== undefined && { input }),
    });
  const kube: Kube = {
    url: place.url,
    adminKubeconfig,
    authority: place.authority,
    kubectl,
    mustKubectl: async (args, input) => {
      const run = await kubectl(args, input);
      if (run.status === 0) return run.stdout;
      throw new MissingReferenceError(
        `kubectl ${args.join(' ')}: ${run.stderr.trim()}`,
        'read kube-apiserver.log',
      );
    },
    crashApiServer: async (meanwhile = () => Promise.resolve()) => {
      await order.workplace.kill(apiServer);
      await meanwhile();
      apiServer = await startApiServer(place);
    },
    forgetHistory: () => compact(`http://127.0.0.1:${place.ports.etcd}`),
    auditLog: () => auditLinesIn(place.dir),
  };
  if (order.alsoRun?.includes('controller-manager')) await startControllerManager(place, kube);
  if (order.alsoRun?.includes('scheduler')) await startScheduler(place);
  return kube;
}

interface Place {
  readonly workplace: Workplace;
  readonly programs: KubePrograms;
  readonly dir: string;
  readonly ports: Readonly<Record<'etcd' | 'api' | 'controllers' | 'scheduler', number>>;
  readonly url: string;
  readonly authority: Authority;
  readonly auditFlags: readonly string[];
  writeKubeconfig(user: string, groups: readonly string[]): Promise<string>;
}

async function furnish({ workplace, programs, ports, audited = [] }: KubeOrder): Promise<Place> {
  const dir = join(workplace.dir, 'kube');
  await mkdir(dir, { recursive: true });
  const authority = await createAuthority({ clock: Date, random: { next: Math.random } });
  const [etcd = 0, api = 0, controllerPort = 0, scheduler = 0] = ports ?? (await workplace.ports(4));
  const url = `https://127.0.0.1:${api}`;
  await writeFile(join(dir, 'ca.crt'), authority.certificate);
  const tokens = signingKeys();
  await writeFile(join(dir, 'tokens.key'), tokens.privateKey, { mode: 0o600 });
  await writeFile(join(dir, 'tokens.pub'), tokens.publicKey);
  await writePair(dir, 'serving', await authority.serving());
  return {
    workplace,
    programs,
    dir,
    ports: { etcd, api, controllers: controllerPort, scheduler },
    url,
    authority,
    auditFlags: await auditFlags(dir, audited),
    writeKubeconfig: async (user, groups) => {
      const file = join(dir, `${user.replaceAll(':', '-')}.kubeconfig`);
      const pair = await authority.client(user, groups);
      await writeFile(file, kubeconfig({ url, user, ca: authority.certificate, pair }), { mode: 0o600 });
      return file;
    },
  };
}

async function writePair(dir: string, name: string, pair: KeyPair): Promise<void> {
  await writeFile(join(dir, `${name}.crt`), pair.certificate);
  await writeFile(join(dir, `${name}.key`), pair.key, { mode: 0o600 });
}

async function startEtcd({ workplace, programs, dir, ports }: Place): Promise<void> {
  const url = `http://127.0.0.1:${ports.etcd}`;
  await workplace.launch({
    name: 'etcd',
    command: programs.etcd,
    ports: [ports.etcd],
    args: [
      `--data-dir=${join(dir, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      '--listen-peer-urls=http://127.0.0.1:0',
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    isHealthy: async () => (await fetch(`${url}/health`)).ok,
  });
}

/** etcd also accepts JSON; all revisions before the present one are removed. */
async function compact(etcd: string): Promise<void> {
  const ask = async (path: string, body: object): Promise<unknown> => {
    const answer = await fetch(`${etcd}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new MissingReferenceError(`etcd refused: ${await answer.text()}`, 'read etcd.log');
    return answer.json();
  };
  const { header } = rangeSchema.parse(await ask('/v3/kv/range', { key: 'AA==' }));
  await ask('/v3/kv/compaction', { revision: header.revision, physical: true });
}

const rangeSchema = z.object({ header: z.object({ revision: z.string() }) });

async function startApiServer(place: Place): Promise<Server> {
  const { workplace, programs, dir, ports, url, authority } = place;
  return workplace.launch({
    name: 'kube-apiserver',
    command: programs['kube-apiserver'],
    ports: [ports.api],
    args: [
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${ports.api}`,
      `--tls-cert-file=${join(dir, 'serving.crt')}`,
      `--tls-private-key-file=${join(dir, 'serving.key')}`,
      `--client-ca-file=${join(dir, 'ca.crt')}`,
      '--authorization-mode=RBAC',
      // Like clusters with any CNI or storage driver: without this flag no Pod may be privileged.
      '--allow-privileged=true',
      '--service-cluster-ip-range=10.0.0.0/24',
      `--service-account-issuer=${url}`,
      `--service-account-signing-key-file=${join(dir, 'tokens.key')}`,
      `--service-account-key-file=${join(dir, 'tokens.pub')}`,
      // Otherwise the server publishes the machine's own address as an endpoint.
      '--endpoint-reconciler-type=none',
      ...place.auditFlags,
    ],
    isHealthy: async () => (await httpsStatus(`${url}/readyz`, { ca: authority.certificate })) === 200,
  });
}

async function startControllerManager(place: Place, kube: Kube): Promise<void> {
  const { workplace, programs, dir, ports } = place;
  const file = await place.writeKubeconfig('system:kube-controller-manager', []);
  await workplace.launch({
    name: 'kube-controller-manager',
    command: programs['kube-controller-manager'],
    ports: [ports.controllers],
    args: [
      `--kubeconfig=${file}`,
      '--leader-elect=false',
      ...servingFlags(place, ports.controllers),
      // Without this flag the root-CA publisher may not write.
      '--use-service-account-credentials=true',
      `--controllers=${controllers.join(',')}`,
      `--service-account-private-key-file=${join(dir, 'tokens.key')}`,
      `--root-ca-file=${join(dir, 'ca.crt')}`,
    ],
    isHealthy: () => answersHealthy(place, ports.controllers),
  });
  await untilDefaultServiceAccount(kube);
}

async function startScheduler(place: Place): Promise<void> {
  const file = await place.writeKubeconfig('system:kube-scheduler', []);
  await place.workplace.launch({
    name: 'kube-scheduler',
    command: place.programs['kube-scheduler'],
    ports: [place.ports.scheduler],
    args: [`--kubeconfig=${file}`, '--leader-elect=false', ...servingFlags(place, place.ports.scheduler)],
    isHealthy: () => answersHealthy(place, place.ports.scheduler),
  });
}

function servingFlags({ dir }: Place, port: number): readonly string[] {
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--tls-cert-file=${join(dir, 'serving.crt')}`,
    `--tls-private-key-file=${join(dir, 'serving.key')}`,
    '--authentication-skip-lookup=true',
  ];
}

async function answersHealthy(place: Place, port: number): Promise<boolean> {
  return (
    (await httpsStatus(`https://127.0.0.1:${port}/healthz`, { ca: place.authority.certificate })) === 200
  );
}

/** The controllers are running once the first object that only they create exists. */
async function untilDefaultServiceAccount(kube: Kube): Promise<void> {
  await kube.mustKubectl([
    'wait',
    '--for=create',
    'serviceaccount/default',
    '-n',
    'default',
    '--timeout=60s',
  ]);
}
