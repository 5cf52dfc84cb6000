/** Starts a group of reference programs once, proves that each works, and stops all of them. */
import { writeFile } from 'node:fs/promises';
import type { GroupName } from './programs.ts';
import { MissingReferenceError } from './reference-error.ts';
import type { Found } from './ready.ts';
import { runCommand } from './run-command.ts';
import { startChromium } from './launch/chromium.ts';
import { startClusterApi } from './launch/cluster-api.ts';
import { startKube, type Kube, type KubeOrder } from './launch/kube.ts';
import { startPostgres } from './launch/postgres.ts';
import { startSshd } from './launch/sshd.ts';
import { Workplace } from './launch/workplace.ts';

/** The programs that were found, by name. */
export type Bench = ReadonlyMap<string, Found>;

/** Reports the work of a program, for the list of `npm run references`. */
export type Report = (name: string, did: string) => void;

/** Cluster API is tested beside a control plane, so its group needs the other one too. */
export const groupsNeeded: Readonly<Record<GroupName, readonly GroupName[]>> = {
  kube: ['kube'],
  capi: ['kube', 'capi'],
  helm: ['helm'],
  postgres: ['postgres'],
  sshd: ['sshd'],
  zsh: ['zsh'],
  chromium: ['chromium'],
  prometheus: ['prometheus'],
};

export async function bringUp(groups: ReadonlySet<GroupName>, bench: Bench, report: Report): Promise<void> {
  const workplace = await Workplace.open('real');
  let kept: 'keep-logs' | 'remove' = 'keep-logs';
  try {
    if (groups.has('kube') || groups.has('capi')) {
      const kube = await startKubeFrom(bench, { workplace, alsoRun: ['controller-manager', 'scheduler'] });
      report('kube', `serving at ${kube.url}`);
      if (groups.has('capi')) await showClusterApi(workplace, kube, { bench, report });
    }
    for (const group of groups) await shows[group]?.(workplace, bench, report);
    for (const server of workplace.servers) report(server.name, `process ${server.pid} was healthy`);
    kept = 'remove';
  } finally {
    await workplace.close(kept);
    if (kept === 'keep-logs') report('logs', `kept in ${workplace.dir}`);
  }
}

export async function startKubeFrom(bench: Bench, order: Omit<KubeOrder, 'programs'>): Promise<Kube> {
  const programs = {
    etcd: pathOf(bench, 'etcd'),
    'kube-apiserver': pathOf(bench, 'kube-apiserver'),
    'kube-controller-manager': pathOf(bench, 'kube-controller-manager'),
    'kube-scheduler': pathOf(bench, 'kube-scheduler'),
    kubectl: pathOf(bench, 'kubectl'),
  };
  return startKube({ ...order, programs });
}

export async function startClusterApiFrom(bench: Bench, workplace: Workplace, kube: Kube): Promise<void> {
  const entry = bench.get('cluster-api')?.entry;
  if (entry === undefined)
    throw new MissingReferenceError('Cluster API is not ready', 'run: npm run references -- capi');
  await startClusterApi({ workplace, kube, program: pathOf(bench, 'cluster-api'), entry: entry.dir });
}

export function pathOf(bench: Bench, name: string): string {
  const found = bench.get(name);
  if (found === undefined)
    throw new MissingReferenceError(`${name} is not ready`, 'run: npm run references -- all');
  return found.path;
}

async function showClusterApi(
  workplace: Workplace,
  kube: Kube,
  { bench, report }: { bench: Bench; report: Report },
): Promise<void> {
  await startClusterApiFrom(bench, workplace, kube);
  const crds = await kube.kubectl(['get', 'crd', '-o', 'name']);
  report('cluster-api', `manages ${crds.stdout.trim().split('\n').length} CRDs`);
  const provider = await mustRun(pathOf(bench, 'clusterctl'), ['config', 'repositories', '-o', 'yaml']);
  report('clusterctl', `knows ${provider.split('- File:').length - 1} providers`);
}

type Show = (workplace: Workplace, bench: Bench, report: Report) => Promise<void>;

const shows: Partial<Record<GroupName, Show>> = {
  helm: async (workplace, bench, report) => {
    const chart = `${workplace.dir}/chart`;
    const helm = pathOf(bench, 'helm');
    await mustRun(helm, ['create', chart]);
    report('helm', await lastLine(helm, ['lint', chart]));
  },
  postgres: async (workplace, bench, report) => {
    const postgres = await startPostgres(workplace, pathOf(bench, 'postgres'));
    report('postgres', `accepts connections on port ${postgres.port}`);
  },
  sshd: async (workplace, bench, report) => {
    const sshd = await startSshd(workplace, pathOf(bench, 'sshd'));
    const login = await sshd.ssh('printf "logged in as %s" "$(id -un)"');
    if (login.status !== 0)
      throw new MissingReferenceError(`no login over SSH: ${login.stderr.trim()}`, 'read sshd.log');
    report('sshd', login.stdout);
  },
  zsh: async (_workplace, bench, report) => {
    report('zsh', await lastLine(pathOf(bench, 'zsh'), ['-f', '-c', 'print -r -- "runs ${ZSH_VERSION}"']));
  },
  chromium: async (workplace, bench, report) => {
    const chromium = await startChromium(workplace, pathOf(bench, 'chromium'));
    report('chromium', `${chromium.browser} answers on its DevTools port`);
  },
  prometheus: async (workplace, bench, report) => {
    const rules = `${workplace.dir}/rules.yaml`;
    await writeFile(
      rules,
      JSON.stringify({ groups: [{ name: 'g', rules: [{ alert: 'A', expr: 'up == 0' }] }] }),
    );
    report('promtool', await lastLine(pathOf(bench, 'promtool'), ['check', 'rules', rules]));
  },
};

async function mustRun(program: string, args: readonly string[]): Promise<string> {
  const run = await runCommand(program, args);
  if (run.status !== 0)
    throw new MissingReferenceError(
      `${program} ${args.join(' ')} failed: ${run.stderr.trim()}`,
      'check the free space in the temporary folder, then run: npm run references -- all',
    );
  return run.stdout;
}

async function lastLine(program: string, args: readonly string[]): Promise<string> {
  return (await mustRun(program, args)).trim().split('\n').at(-1) ?? '';
}
