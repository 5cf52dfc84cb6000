/**
 * The Cluster API core manager beside a running control plane, with its CRDs, its conversion and its admission
 * webhooks, all on loopback. Without the webhooks older objects would be accepted and silently broken.
 */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import type { KeyPair } from '../../../src/embedded/kubernetes-api/http/certificates.ts';
import type { Kube } from './kube.ts';
import type { Workplace } from './workplace.ts';

export interface ClusterApiOrder {
  readonly workplace: Workplace;
  readonly kube: Kube;
  readonly program: string;
  /** The cache entry of the program, with `crds/` and `webhooks.yaml`. */
  readonly entry: string;
}

/** `/readyz` answers too early; a log line of each controller shows its start. */
const workersToStart = 10;

export async function startClusterApi({ workplace, kube, program, entry }: ClusterApiOrder): Promise<void> {
  const [webhookPort = 0] = await workplace.ports(1);
  const webhook = {
    url: `https://127.0.0.1:${webhookPort}`,
    caBundle: Buffer.from(kube.authority.certificate).toString('base64'),
  };
  const crds = await readCrds(entry, webhook);
  await kube.mustKubectl(['create', '-f', '-'], crds);
  await kube.mustKubectl(['wait', '--for=condition=Established', '--timeout=60s', '-f', '-'], crds);
  const serving = await kube.authority.serving();
  await launchManager(workplace, { program, kubeconfig: kube.adminKubeconfig, webhookPort, serving });
  await kube.mustKubectl(['create', '-f', '-'], await readWebhooks(entry, webhook));
  await untilWebhooksAreCalled(kube);
}

/** The API server calls new webhooks only after a delay. Retry an object that only the webhooks refuse. */
async function untilWebhooksAreCalled(kube: Kube): Promise<void> {
  const spec = {
    clusterName: 'none',
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'other' } },
      spec: {
        clusterName: 'none',
        bootstrap: { dataSecretName: 'none' },
        infrastructureRef: { apiGroup: 'none.example.com', kind: 'None', name: 'none' },
      },
    },
  };
  const apiVersion = 'cluster.x-k8s.io/v1beta2';
  const metadata = { name: 'none', namespace: 'default' };
  const refused = JSON.stringify({ apiVersion, kind: 'MachineDeployment', metadata, spec });
  const isCalled = async (): Promise<boolean> =>
    // One webhook adds a label to the selector, and another one refuses the result.
    (await kube.kubectl(['create', '--dry-run=server', '-f', '-'], refused)).stderr.includes(
      'must match spec.selector "a=b,cluster.x-k8s.io/cluster-name=none"',
    );
  while (!(await isCalled()));
}

export interface ManagerOrder {
  readonly program: string;
  readonly kubeconfig: string;
  readonly webhookPort: number;
  /** The certificate of its webhooks; any pair is enough when they are not called. */
  readonly serving: KeyPair;
}

/** The manager alone, on a server with its CRDs. */
export async function launchManager(workplace: Workplace, order: ManagerOrder): Promise<void> {
  const { program, kubeconfig, webhookPort, serving } = order;
  const [healthPort = 0, metricsPort = 0] = await workplace.ports(2);
  const certificates = join(workplace.dir, 'cluster-api-webhook');
  await mkdir(certificates, { recursive: true });
  await writeFile(join(certificates, 'tls.crt'), serving.certificate);
  await writeFile(join(certificates, 'tls.key'), serving.key, { mode: 0o600 });
  await workplace.launch({
    name: 'cluster-api',
    command: program,
    ports: [webhookPort, healthPort, metricsPort],
    args: [
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      `--webhook-port=${webhookPort}`,
      `--webhook-cert-dir=${certificates}`,
      `--health-addr=127.0.0.1:${healthPort}`,
      `--diagnostics-address=127.0.0.1:${metricsPort}`,
      '--insecure-diagnostics=true',
      '--feature-gates=ReconcilerRateLimiting=false',
    ],
    isHealthy: async (log) => (await log()).split('Starting workers').length > workersToStart,
  });
}

interface WebhookAddress {
  readonly url: string;
  readonly caBundle: string;
}

async function readCrds(entry: string, webhook: WebhookAddress): Promise<string> {
  const folder = join(entry, 'crds');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => {
      document.setIn(['spec', 'conversion'], {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url: `${webhook.url}/convert`, caBundle: webhook.caBundle },
        },
      });
      return document.toString();
    })
    .join('---\n');
}

interface WebhookConfiguration {
  webhooks?: { clientConfig: { service?: { path?: string }; url?: string; caBundle?: string } }[];
}

/** The published manifests name a Service; here the server is reached at its loopback address. */
async function readWebhooks(entry: string, webhook: WebhookAddress): Promise<string> {
  const documents = parseAllDocuments(await readFile(join(entry, 'webhooks.yaml'), 'utf8'));
  return documents
    .map((document): WebhookConfiguration => document.toJS())
    .map((configuration) => ({
      ...configuration,
      webhooks: (configuration.webhooks ?? []).map((hook) => ({
        ...hook,
        clientConfig: {
          url: `${webhook.url}${hook.clientConfig.service?.path ?? ''}`,
          caBundle: webhook.caBundle,
        },
      })),
    }))
    .map((configuration) => stringify(configuration))
    .join('---\n');
}
