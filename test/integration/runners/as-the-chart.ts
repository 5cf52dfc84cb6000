/**
 * Manager and dispatch like the installed chart runs them: with the flags of its Deployments and as its
 * ServiceAccounts.
 */
import { chartFolder, containerOf, grantsIn, helmAlone } from '../../chart/rendered.ts';
import { withToken } from '../token.ts';
import type { Harness } from '../../reference/describe-integration.ts';
import type { Kube } from '../../reference/launch/kube.ts';
import type { Installed } from './busy-harness.ts';

const release = 'ci';
const home = 'fleet';
const values = 'dispatch.enabled=true,dispatch.github.appId=4711';

/** The names of the ServiceAccounts, equal to those of the Deployments. */
const names = { manager: `${release}-muster-manager`, dispatch: `${release}-muster-dispatch` } as const;
export type Who = keyof typeof names;

export function userOf(who: Who): string {
  return `system:serviceaccount:${home}:${names[who]}`;
}

/** The roles about runners. */
const roles: Readonly<Record<Who, readonly (readonly string[])[]>> = {
  manager: [
    ['-n', 'tuist-runners', 'role/ci-muster-manager-runners'],
    ['clusterrole/ci-muster-manager-runner-nodes-fleet'],
  ],
  dispatch: [['-n', 'tuist-runners', 'role/ci-muster-dispatch'], ['clusterrole/ci-muster-dispatch-fleet']],
};

export async function grantedTo(kube: Kube, who: Who): Promise<readonly string[]> {
  const found = roles[who].map((where) => kube.mustKubectl(['get', '-o', 'json', ...where]));
  return (await Promise.all(found)).flatMap((text) => grantsIn(JSON.parse(text)));
}

export function asTheChart(harness: Harness): (kube: Kube) => Promise<Installed> {
  return async (kube) => {
    const helm = helmAlone(harness).under({ KUBECONFIG: kube.adminKubeconfig });
    await helm.ok('install', release, chartFolder, '-n', home, '--create-namespace', '--set', values);
    await kube.mustKubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);
    const [manager, dispatch] = await Promise.all([
      roleOf(harness, kube, 'manager'),
      roleOf(harness, kube, 'dispatch'),
    ]);
    const make = ['create', 'token', names.manager, '--audience=muster-dispatch'];
    const managerToken = (await kube.mustKubectl(['-n', home, ...make])).trim();
    return { manager, dispatch, managerToken };
  };
}

async function roleOf({ workplace }: Harness, kube: Kube, who: Who) {
  const name = names[who];
  const token = (await kube.mustKubectl(['-n', home, 'create', 'token', name])).trim();
  const deployment = await kube.mustKubectl(['-n', home, 'get', 'deployment', name, '-o', 'json']);
  const { args } = containerOf(JSON.parse(deployment));
  const place = { kubeconfig: kube.adminKubeconfig, dir: workplace.dir };
  return { token, args, kubeconfig: await withToken(place, token) };
}
