/** Authorization seen through kubectl: tokens, roles, and access reviews. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { signToken } from '../../../src/embedded/kubernetes-api/auth/jwt.ts';
import { httpsStatus } from '../../reference/launch/https-status.ts';
import type { Client } from '../client.ts';
import type { Embedded } from '../embedded.ts';
import { withToken } from '../token.ts';
import { cells, configMap, documents, type Flow, type Fixture } from './flow.ts';

/** A ServiceAccount that may read ConfigMaps in its namespace, and nothing else. */
async function createRobot({ kubectl, namespace }: Fixture): Promise<string> {
  await kubectl.ok('create', 'serviceaccount', 'robot');
  await kubectl.ok('create', 'role', 'reader', '--verb=get,list', '--resource=configmaps');
  await kubectl.ok('create', 'rolebinding', 'robots', '--role=reader', `--serviceaccount=${namespace}:robot`);
  return `system:serviceaccount:${namespace}:robot`;
}

async function robotWith(fixture: Fixture, token: string): Promise<Client> {
  const kubeconfig = await withToken(fixture.embedded, token);
  return fixture.kubectl.under({ KUBECONFIG: kubeconfig });
}

async function secretOf({ data }: Embedded): Promise<Uint8Array> {
  const { tokenSecret }: { tokenSecret: string } = JSON.parse(
    await readFile(join(data, 'keys.json'), 'utf8'),
  );
  return Buffer.from(tokenSecret, 'base64');
}

function claimsOf(token: string): Readonly<Record<string, string | number>> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

export const accessFlows: readonly Flow[] = [
  {
    flow: 'a token of an account may do what its role says, and no more',
    run: async (fixture) => {
      const name = await createRobot(fixture);
      await fixture.kubectl.feed(documents(configMap('a')), 'create', '-f', '-');
      const robot = await robotWith(fixture, await fixture.kubectl.ok('create', 'token', 'robot'));
      expect(await robot.ok('get', 'cm', 'a', '-o', 'name')).toBe('configmap/a');
      const refused = await robot.refused('delete', 'cm', 'a');
      expect(refused).toContain(`User "${name}" cannot delete resource "configmaps"`);
      expect(await robot.refused('get', 'secrets')).toContain('Forbidden');
      expect(await robot.refused('get', 'cm', '-n', 'default')).toContain('Forbidden');
      expect(await robot.ok('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe(name);
    },
  },
  {
    flow: 'a token that is foreign, changed, expired, or of a deleted account is refused',
    run: async (fixture) => {
      await createRobot(fixture);
      const token = await fixture.kubectl.ok('create', 'token', 'robot', '--duration=20m');
      const secret = await secretOf(fixture.embedded);
      const read = async (one: string): Promise<string> => {
        const { stdout, stderr } = await (await robotWith(fixture, one)).run(['get', 'cm', '-o', 'name']);
        return stdout + stderr;
      };
      const claims = claimsOf(token);
      const past = Number(claims['iat']) - 7200;
      expect(await read(signToken({ ...claims }, secret))).toContain('configmap/');
      const bad = [
        signToken({ ...claims, iat: past, nbf: past, exp: past + 3600 }, secret),
        signToken({ ...claims }, Buffer.from('the secret of another server')),
        `${token.slice(0, -4)}AAAA`,
        'nonsense',
      ];
      for (const one of bad) expect(await read(one)).toContain('Unauthorized');
      await fixture.kubectl.ok('delete', 'serviceaccount', 'robot');
      expect(await read(token)).toContain('Unauthorized');
    },
  },
  {
    flow: 'auth can-i answers for the caller and for others',
    run: async (fixture) => {
      const { kubectl } = fixture;
      const name = await createRobot(fixture);
      expect(await kubectl.ok('auth', 'can-i', 'delete', 'nodes')).toBe('yes');
      expect(await kubectl.ok('auth', 'can-i', 'get', 'configmaps', '--as', name)).toBe('yes');
      const no = await kubectl.run(['auth', 'can-i', 'delete', 'configmaps', '--as', name]);
      expect([no.status, no.stdout.trim()]).toEqual([1, 'no']);
      const list = cells(await kubectl.ok('auth', 'can-i', '--list', '--as', name, '--no-headers'));
      expect(list.find(([resource]) => resource === 'configmaps')?.at(-1)).toBe('[get list]');
    },
  },
  {
    flow: 'auth whoami names the user, impersonated or not',
    run: async ({ kubectl }) => {
      const user = ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo}'];
      expect(JSON.parse(await kubectl.ok(...user))).toMatchObject({
        username: 'admin',
        groups: ['system:masters', 'system:authenticated'],
      });
      const taken = await kubectl.ok(...user, '--as=jane', '--as-group=devs');
      expect(JSON.parse(taken)).toMatchObject({ username: 'jane', groups: ['devs', 'system:authenticated'] });
    },
  },
  {
    flow: 'a role cannot be widened by a user with fewer permissions',
    run: async (fixture) => {
      const name = await createRobot(fixture);
      const { kubectl } = fixture;
      await kubectl.ok(
        'create',
        'role',
        'roles',
        '--verb=create',
        '--resource=roles.rbac.authorization.k8s.io',
      );
      await kubectl.ok(
        'create',
        'rolebinding',
        'r',
        '--role=roles',
        `--serviceaccount=${fixture.namespace}:robot`,
      );
      const create = ['create', 'role', 'wide', '--as', name, '--resource=configmaps'];
      expect(await kubectl.refused(...create, '--verb=delete')).toContain(
        'attempting to grant RBAC permissions',
      );
      expect(await kubectl.ok(...create, '--verb=get')).toContain('created');
    },
  },
  {
    flow: 'only its owner can read the kubeconfig, and anonymous callers see next to nothing',
    run: async ({ embedded }) => {
      const { kubeconfig, url } = embedded;
      expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
      const text = await readFile(kubeconfig, 'utf8');
      const data = /"certificate-authority-data":"([^"]+)"/.exec(text)?.[1] ?? '';
      const ca = Buffer.from(data, 'base64').toString();
      const paths = ['/readyz', '/version', '/api', '/api/v1/secrets'];
      expect(await Promise.all(paths.map((path) => httpsStatus(`${url}${path}`, { ca })))).toEqual([
        200, 200, 403, 403,
      ]);
    },
  },
];
