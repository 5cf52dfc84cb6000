/** `muster apiserver` as a user runs it, driven by the real kubectl. */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pathOf } from '../../test/real/bring-up.ts';
import { describeJudged, type Stand } from '../../test/real/judged.ts';
import { httpsStatus } from '../../test/real/launch/https-status.ts';
import { runCommand, type Outcome } from '../../test/real/run-command.ts';

interface Driven {
  readonly kubeconfig: string;
  /** Runs kubectl and gives what it printed, or what it complained about. */
  kubectl(...args: readonly string[]): Promise<string>;
  feed(input: string, ...args: readonly string[]): Promise<string>;
}

async function start({ bench, workplace }: Stand): Promise<Driven> {
  const kubeconfig = join(workplace.dir, 'kubeconfig');
  const [port = 0] = await workplace.ports(1);
  await workplace.launch({
    name: 'muster-apiserver',
    command: join(process.cwd(), 'bin', 'muster'),
    args: ['apiserver', '--listen', `127.0.0.1:${port}`, '--write-kubeconfig', kubeconfig],
    ports: [port],
    isHealthy: async (log) => (await log()).includes('Kubernetes API at'),
  });
  const env = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: join(workplace.dir, 'kubectl-cache') };
  const run = async (args: readonly string[], input?: string): Promise<string> => {
    const options = { env, unless: workplace.died, ...(input !== undefined && { input }) };
    return said(await runCommand(pathOf(bench, 'kubectl'), args, options));
  };
  return { kubeconfig, kubectl: (...args) => run(args), feed: (input, ...args) => run(args, input) };
}

function said({ stdout, stderr }: Outcome): string {
  return `${stdout}${stderr}`.trim();
}

/** Columns are apart by at least two spaces. */
function rows(text: string): readonly (readonly string[])[] {
  return text.split('\n').map((line) => line.trim().split(/\s{2,}/));
}

const pool = 'docs/examples/runner-pool.yaml';

await describeJudged({ name: 'kubectl on muster apiserver', by: 'kube', setUp: start }, (driven) => {
  it('may be used only by whoever has the key in the kubeconfig, which only its owner can read', async () => {
    expect((await stat(driven().kubeconfig)).mode & 0o777).toBe(0o600);
    const server = /"server":"([^"]+)"/.exec(readFileSync(driven().kubeconfig, 'utf8'))?.[1] ?? '';
    const ca = Buffer.from(
      /"certificate-authority-data":"([^"]+)"/.exec(readFileSync(driven().kubeconfig, 'utf8'))?.[1] ?? '',
      'base64',
    );
    const asStranger = (path: string): Promise<number> =>
      httpsStatus(`${server}${path}`, { ca: ca.toString() });
    expect(await Promise.all(['/readyz', '/version', '/api', '/api/v1/secrets'].map(asStranger))).toEqual([
      200, 200, 403, 403,
    ]);
  });

  it('says its version, and what it serves', async () => {
    expect(await driven().kubectl('version')).toContain('Server Version: v1.36.');
    const names = rows(await driven().kubectl('api-resources', '--no-headers')).map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['pods', 'configmaps', 'leases', 'customresourcedefinitions']),
    );
  });

  it('takes our CRDs and, once they are Established, every example', async () => {
    expect(await driven().kubectl('apply', '-f', 'charts/muster/crds')).not.toContain('error');
    const waited = await driven().kubectl(
      'wait',
      '--for=condition=Established',
      '--timeout=30s',
      '-f',
      'charts/muster/crds',
    );
    expect(waited.split('\n').every((line) => line.endsWith('condition met'))).toBe(true);
    const applied = await driven().kubectl('apply', '-f', 'docs/examples/');
    expect(applied.split('\n').every((line) => line.endsWith(' created'))).toBe(true);
    const again = await driven().kubectl('apply', '-f', 'docs/examples/machine-template.yaml');
    expect(again.split('\n').every((line) => line.endsWith(' unchanged'))).toBe(true);
  });

  it('refuses a misspelt field by name', async () => {
    const refused = await driven().kubectl(
      'apply',
      '-f',
      'docs/examples/invalid/machine-misspelt-field.yaml',
    );
    expect(refused).toContain('unknown field "spec.adoptPoolPrefixx"');
  });

  it('prints the columns of a kind, short and wide', async () => {
    const [header, row] = rows(await driven().kubectl('get', 'rpool', 'macos-tahoe'));
    expect(header).toEqual(['NAME', 'REPLICAS', 'OBSERVED', 'DISPATCHLABEL', 'AGE']);
    expect(row?.slice(0, 2)).toEqual(['macos-tahoe', '0']);
    const [wide] = rows(await driven().kubectl('get', 'mh', '-o', 'wide'));
    expect(wide).toEqual([
      'NAME',
      'STATE',
      'CLAIM',
      'SERVER',
      'ZONE',
      'TYPE',
      'EPOCH',
      'AGE',
      'IP',
      'REASON',
    ]);
  });

  it('explains a field in the words of its schema', async () => {
    expect(await driven().kubectl('explain', 'rpool.spec.dispatchLabel')).toContain('DESCRIPTION:');
  });

  it('patches, labels, and shows the difference a file would make', async () => {
    await driven().kubectl('patch', 'rpool', 'linux-x64', '--type=merge', '-p', '{"spec":{"replicas":21}}');
    await driven().kubectl(
      'patch',
      'rpool',
      'linux-x64',
      '--type=json',
      '-p',
      '[{"op":"add","path":"/spec/runnerLabels/-","value":"big"}]',
    );
    await driven().kubectl('label', 'rpool', 'linux-x64', 'team=ci');
    expect(await driven().kubectl('get', 'rpool', '-l', 'team=ci', '-o', 'name')).toBe(
      'runnerpool.tuist.dev/linux-x64',
    );
    const replicas = await driven().kubectl(
      'get',
      'rpool',
      'linux-x64',
      '-o',
      'jsonpath={.spec.replicas} {.metadata.generation}',
    );
    expect(replicas).toBe('21 3');
    expect(await driven().kubectl('diff', '-f', pool)).toMatch(/^-\s+replicas: 21$/m);
  });

  it('describes an object', async () => {
    expect(await driven().kubectl('describe', 'rpool', 'linux-x64')).toMatch(/^Kind:\s+RunnerPool$/m);
  });

  it('watches: what is there, then what comes', async () => {
    const watching = driven().kubectl(
      'get',
      'rpool',
      '-w',
      '--output-watch-events',
      '--request-timeout=3s',
      '--no-headers',
    );
    const changed = driven().kubectl('annotate', 'rpool', 'macos-tahoe', 'seen=1');
    await Promise.all([watching, changed]);
    const events = rows(await watching).map(([type, name]) => `${type} ${name}`);
    expect(events.slice(0, 2)).toEqual(['ADDED linux-x64', 'ADDED macos-tahoe']);
  });

  it('writes a status through its own path', async () => {
    const status = '{"status":{"observedReplicas":4}}';
    await driven().kubectl(
      'patch',
      'rpool',
      'linux-x64',
      '--subresource=status',
      '--type=merge',
      '-p',
      status,
    );
    expect(
      await driven().kubectl('get', 'rpool', 'linux-x64', '-o', 'jsonpath={.status.observedReplicas}'),
    ).toBe('4');
  });

  it('keeps an object with a finalizer until the finalizer goes', async () => {
    const finalizers = (list: string): Promise<string> =>
      driven().kubectl(
        'patch',
        'rpool',
        'macos-tahoe',
        '--type=merge',
        '-p',
        `{"metadata":{"finalizers":${list}}}`,
      );
    await finalizers('["muster.dev/hold"]');
    await driven().kubectl('delete', 'rpool', 'macos-tahoe', '--wait=false');
    expect(
      await driven().kubectl('get', 'rpool', 'macos-tahoe', '-o', 'jsonpath={.metadata.deletionTimestamp}'),
    ).not.toBe('');
    await finalizers('null');
    expect(await driven().kubectl('get', 'rpool', 'macos-tahoe')).toContain('NotFound');
  });

  it('applies a built-in kind again and again', async () => {
    const manifest = (size: number): string =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"tuned"},"data":{"size":"${size}"}}`;
    const told = [
      await driven().feed(manifest(1), 'apply', '-f', '-'),
      await driven().feed(manifest(2), 'apply', '-f', '-'),
      await driven().feed(manifest(2), 'apply', '-f', '-'),
    ];
    expect(told).toEqual([
      'configmap/tuned created',
      'configmap/tuned configured',
      'configmap/tuned unchanged',
    ]);
    await driven().kubectl('patch', 'configmap', 'tuned', '-p', '{"data":{"size":"3"}}');
    expect(await driven().kubectl('get', 'configmap', 'tuned', '-o', 'jsonpath={.data.size}')).toBe('3');
  });

  it('applies a Deployment and a Service, changes, scales and shows them', async () => {
    const manifest = (image: string): string =>
      `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"app":"web"}},
        "template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"main","image":"${image}"}]}}}}
---
{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"selector":{"app":"web"},"ports":[{"port":80}]}}`;
    const told = [
      await driven().feed(manifest('none:1'), 'apply', '-f', '-'),
      await driven().feed(manifest('none:2'), 'apply', '-f', '-'),
      await driven().feed(manifest('none:2'), 'apply', '-f', '-'),
    ];
    expect(told.map((text) => text.split('\n'))).toEqual([
      ['deployment.apps/web created', 'service/web created'],
      ['deployment.apps/web configured', 'service/web unchanged'],
      ['deployment.apps/web unchanged', 'service/web unchanged'],
    ]);
    expect(await driven().kubectl('set', 'image', 'deploy/web', 'main=none:3')).toContain('image updated');
    expect(await driven().kubectl('scale', 'deploy', 'web', '--replicas=3')).toContain('scaled');
    const [header, row] = rows(await driven().kubectl('get', 'deploy', 'web', '-o', 'wide'));
    expect(header).toEqual([
      'NAME',
      'READY',
      'UP-TO-DATE',
      'AVAILABLE',
      'AGE',
      'CONTAINERS',
      'IMAGES',
      'SELECTOR',
    ]);
    expect(row?.toSpliced(4, 1)).toEqual(['web', '0/3', '0', '0', 'main', 'none:3', 'app=web']);
    expect(await driven().kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.type}')).toBe('ClusterIP');
  });

  it('explains the fields of a built-in kind', async () => {
    expect(await driven().kubectl('explain', 'pod.spec.containers.livenessProbe')).toMatch(
      /failureThreshold\s+<integer>/,
    );
  });

  it('creates what kubectl sends in protobuf, and a Pod', async () => {
    const created = [
      await driven().kubectl('create', 'namespace', 'made'),
      await driven().kubectl('-n', 'made', 'create', 'configmap', 'settings', '--from-literal=size=3'),
      await driven().kubectl('-n', 'made', 'create', 'secret', 'generic', 'keys', '--from-literal=a=b'),
      await driven().kubectl('-n', 'made', 'create', 'serviceaccount', 'robot'),
    ];
    expect(created).toEqual([
      'namespace/made created',
      'configmap/settings created',
      'secret/keys created',
      'serviceaccount/robot created',
    ]);
    expect(await driven().kubectl('-n', 'made', 'get', 'secret', 'keys', '-o', 'jsonpath={.data.a}')).toBe(
      'Yg==',
    );
    expect(await driven().kubectl('-n', 'made', 'run', 'job', '--image=none')).toBe('pod/job created');
  });

  it('deletes a namespace with what is in it', async () => {
    const manifests = [
      '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"short"}}',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"short"}}',
    ];
    expect(await driven().feed(manifests.join('\n---\n'), 'apply', '-f', '-')).toContain(
      'configmap/a created',
    );
    await driven().kubectl('delete', 'namespace', 'short', '--timeout=30s');
    expect(await driven().kubectl('get', 'namespace', 'short')).toContain('NotFound');
  });
});
