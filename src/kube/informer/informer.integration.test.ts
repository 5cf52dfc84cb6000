/** The informer against a real kube-apiserver: killed, compacted, stalled, and with its rights replaced. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startKubeFrom } from '../../../test/reference/bring-up.ts';
import { describeIntegration, type Harness } from '../../../test/reference/describe-integration.ts';
import type { Kube } from '../../../test/reference/launch/kube.ts';
import { TcpProxy } from '../../../lab/harness/tcp-proxy.ts';
import { anyRandom as random, wallClock as clock } from '../../../lab/harness/wall-clock.ts';
import { configMaps, type ConfigMap } from '../client/builtin-resources.ts';
import { KubeClient } from '../client/client.ts';
import type { Connection, ConnectionPorts } from '../client/connection.ts';
import { fixed, tokenFile } from '../client/credential-sources.ts';
import { HttpTransport } from '../client/http-transport.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { Secret } from '../../platform/secret.ts';
import { Informer } from './informer.ts';

const namespace = 'many';
const count = 5000;
const noPrograms: ConnectionPorts = {
  readFile: (path) => readFile(path, 'utf8'),
  runProgram: () => Promise.reject(new Error('no program expected')),
  now: () => clock.now(),
};

interface Given {
  readonly kube: Kube;
  readonly proxy: TcpProxy;
  readonly admin: KubeClient;
  /** A client of the ServiceAccount `watcher`, through a proxy that can be cut. */
  readonly client: KubeClient;
  readonly tokenPath: string;
  close(): Promise<void>;
}

function clientOver(connection: Connection): { client: KubeClient; close: () => Promise<void> } {
  const transport = new HttpTransport({ connection, userAgent: 'muster/test', now: () => clock.now() });
  const limit = new RateLimit(clock, { perSecond: 5000, burst: 5000 });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
  return { client, close: () => transport.close() };
}

async function setUp({ bench, workplace }: Harness): Promise<Given> {
  const kube = await startKubeFrom(bench, { workplace, alsoRun: ['controller-manager'] });
  const proxy = await TcpProxy.open(Number(new URL(kube.url).port));
  const { certificate, key } = await kube.authority.client('filler', ['system:masters']);
  const authority = kube.authority.certificate;
  const admin = clientOver({
    server: kube.url,
    authority,
    credentials: fixed({ certificate: { pem: certificate, key: new Secret(key) } }),
  });
  const tokenPath = join(workplace.dir, 'token');
  const watcher = clientOver({
    server: `https://127.0.0.1:${proxy.port}`,
    authority,
    credentials: tokenFile(tokenPath, noPrograms),
  });
  await kube.mustKubectl(['create', 'namespace', namespace]);
  await kube.mustKubectl(['-n', namespace, 'create', 'serviceaccount', 'watcher']);
  const account = `--serviceaccount=${namespace}:watcher`;
  await kube.mustKubectl([
    '-n',
    namespace,
    'create',
    'rolebinding',
    'watcher',
    '--clusterrole=view',
    account,
  ]);
  const close = async (): Promise<void> => {
    await watcher.close();
    await admin.close();
    await proxy.close();
  };
  return { kube, proxy, admin: admin.client, client: watcher.client, tokenPath, close };
}

/** A token that is valid only while this Secret exists. */
async function mintToken({ kube, tokenPath }: Given, secret: string): Promise<void> {
  await kube.mustKubectl(['-n', namespace, 'create', 'secret', 'generic', secret]);
  const bound = ['--bound-object-kind=Secret', `--bound-object-name=${secret}`];
  const token = await kube.mustKubectl(['-n', namespace, 'create', 'token', 'watcher', ...bound]);
  await writeFile(tokenPath, token.trim());
}

async function fill({ admin }: Given): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const worker = async (): Promise<void> => {
    for (let next = numbers.pop(); next !== undefined; next = numbers.pop())
      await write(admin, `c-${next}`, 'first');
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

async function write(admin: KubeClient, name: string, value: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
  await admin.patch(configMaps, { namespace, name }, { apply: body, force: true });
}

async function remove(admin: KubeClient, name: string): Promise<void> {
  const { metadata } = await admin.get(configMaps, { namespace, name });
  await admin.delete(configMaps, { namespace, name }, { uid: metadata.uid });
}

async function truth(admin: KubeClient): Promise<readonly string[]> {
  const page = await admin.listPage(configMaps, { namespace });
  return page.items.map(versionOf).toSorted();
}

function versionOf({ metadata }: KubeObject): string {
  return `${metadata.name} ${metadata.resourceVersion}`;
}

await describeIntegration({ name: 'an informer on kube-apiserver', by: 'kube', setUp }, (given) => {
  const troubles: string[] = [];
  let startedAt = 0;
  let syncedAt = 0;
  let informer: Informer<ConfigMap>;

  beforeAll(async () => {
    await mintToken(given(), 'first');
    await fill(given());
    informer = new Informer({
      client: given().client,
      resource: configMaps,
      clock,
      random,
      scope: { namespace },
      silenceMaxMs: 5000,
      onTrouble: ({ reason }) => void troubles.push(reason),
      onListenerFault: (error) => {
        throw error;
      },
    });
    startedAt = clock.now();
    informer.start();
    await informer.synced();
    syncedAt = clock.now();
  });
  afterAll(async () => {
    await informer.stop();
    await given().close();
  });

  const copy = (): readonly string[] => informer.all().map(versionOf).toSorted();

  /**
   * Waits until the cache shows the last written value and then must equal a fresh list. Reports the time since the
   * disturbance; for a part of that time the server may have been down.
   */
  const recovered = async ({ after, from }: Disturbance): Promise<readonly string[]> => {
    const backAt = clock.now();
    await write(given().admin, 'marker', after);
    const seen = Promise.withResolvers<void>();
    const stop = informer.listen(({ object }) => {
      if (object?.data?.['value'] === after) seen.resolve();
    });
    await seen.promise;
    stop();
    report(`${clock.now() - from} ms after ${after} (the last write came after ${backAt - from} ms)`);
    return copy();
  };

  it('has every object once synced', async () => {
    expect(copy()).toEqual(await truth(given().admin));
    expect(informer.all().length).toBeGreaterThanOrEqual(count);
    report(`${syncedAt - startedAt} ms after its start, with ${informer.size} objects`);
  });

  it('loses nothing when the API server is killed and comes back', async () => {
    const from = clock.now();
    await given().kube.crashApiServer();
    await write(given().admin, 'c-1', 'after the crash');
    await remove(given().admin, 'c-2');
    expect(await recovered({ after: 'the kill of the API server', from })).toEqual(
      await truth(given().admin),
    );
  });

  it('loses nothing when the history it would resume from is gone', async () => {
    const from = clock.now();
    given().proxy.isStalled = true;
    given().proxy.cut();
    await remove(given().admin, 'c-3');
    await write(given().admin, 'c-4', 'while not watched');
    await given().kube.crashApiServer(() => given().kube.forgetHistory());
    given().proxy.isStalled = false;
    given().proxy.cut();
    expect(await recovered({ after: 'the cut before history was forgotten', from })).toEqual(
      await truth(given().admin),
    );
    expect(troubles).toContain('Expired');
  });

  it('detects a connection that went silent', async () => {
    const from = clock.now();
    given().proxy.stall();
    await remove(given().admin, 'c-5');
    expect(await recovered({ after: 'the wire went silent', from })).toEqual(await truth(given().admin));
    expect(troubles).toContain('SilentWatch');
  });

  it('continues with a new token when the old token becomes invalid', async () => {
    await mintToken(given(), 'second');
    const from = clock.now();
    await given().kube.mustKubectl(['-n', namespace, 'delete', 'secret', 'first']);
    given().proxy.cut();
    expect(await recovered({ after: 'the old token was withdrawn', from })).toEqual(
      await truth(given().admin),
    );
  });
});

interface Disturbance {
  /** The disturbance. */
  readonly after: string;
  /** When the disturbance began. */
  readonly from: number;
}

function report(text: string): void {
  process.stdout.write(`informer: equals a fresh list ${text}\n`);
}
