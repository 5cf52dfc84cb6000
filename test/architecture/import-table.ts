/**
 * Which folder may import what, as data: the same table as in ARCHITECTURE.md. The row with the longest matching folder counts.
 * An entry that ends in a slash means everything below that folder, any other means one file; `!` excludes a folder.
 * A folder may always import itself. In a folder with `rooms`, each sub-folder is a folder of its own.
 */
export interface Row {
  readonly folder: string;
  readonly rooms?: true;
  readonly mayImport: readonly string[];
}

const product = ['src/', '!src/bin/', '!src/cli/'];

export const importTable: readonly Row[] = [
  { folder: 'src/api', mayImport: [] },
  { folder: 'src/platform', mayImport: ['src/api/conditions/'] },
  { folder: 'src/kube', mayImport: ['src/platform/', 'src/api/conditions/'] },
  {
    folder: 'src/hosts/state',
    mayImport: ['src/api/', 'src/platform/', 'src/kube/client/kube-object.ts'],
  },
  { folder: 'src/hosts/provider', mayImport: ['src/api/', 'src/platform/'] },
  {
    folder: 'src/hosts',
    rooms: true,
    mayImport: ['src/api/', 'src/platform/', 'src/kube/', 'src/hosts/state/', 'src/hosts/provider/port.ts'],
  },
  { folder: 'src/runner-pools/state', mayImport: ['src/api/', 'src/platform/', 'src/kube/'] },
  {
    folder: 'src/runner-pools/pods',
    mayImport: ['src/api/', 'src/platform/', 'src/kube/', 'src/runner-pools/state/'],
  },
  {
    folder: 'src/runner-pools',
    rooms: true,
    mayImport: [
      'src/api/',
      'src/platform/',
      'src/kube/',
      'src/runner-pools/state/',
      'src/runner-pools/pods/',
      'src/runner-pools/pod-template/',
    ],
  },
  {
    folder: 'src/manager',
    mayImport: ['src/api/', 'src/platform/', 'src/kube/', 'src/hosts/', 'src/runner-pools/'],
  },
  {
    folder: 'src/dispatch',
    mayImport: ['src/api/', 'src/platform/', 'src/kube/', 'src/runner-pools/state/runner-pool-objects.ts'],
  },
  { folder: 'src/agent', mayImport: ['src/api/', 'src/platform/', 'src/kube/'] },
  { folder: 'src/guest', mayImport: [] },
  { folder: 'src/embedded', mayImport: ['src/api/', 'src/platform/'] },
  { folder: 'src/cli', mayImport: ['src/', '!src/bin/'] },
  { folder: 'src/bin', mayImport: ['src/', 'lab/cli/'] },
  { folder: 'lab/cli', mayImport: ['src/', '!src/bin/', 'lab/'] },
  { folder: 'lab/demo', mayImport: ['src/', '!src/bin/', 'lab/'] },
  { folder: 'lab/harness', mayImport: ['src/', '!src/bin/', 'lab/'] },
  { folder: 'lab', mayImport: [...product, 'lab/'] },
];

/** Packages that only one folder may import, by the prefix of their names. */
export const packageHomes: ReadonlyMap<string, string> = new Map([
  ['@scaleway/', 'src/hosts/provider/scaleway/'],
  ['@octokit/core', 'src/dispatch/github/'],
  ['@octokit/auth-', 'src/dispatch/github/'],
  ['@octokit/plugin-', 'src/dispatch/github/'],
]);

/** What a test may import beyond the row of its folder. */
export const testsAlsoImport = ['test/', 'lab/', 'src/kube/', 'src/embedded/', 'scripts/generate/'];

/** The folder of shell programs, for machines without TypeScript. */
export const shellOnlyFolder = 'src/guest';

/** The row that a path belongs to. */
export function rowOf(path: string): Row | undefined {
  return importTable
    .filter(({ folder }) => path.startsWith(`${folder}/`))
    .toSorted((a, b) => b.folder.length - a.folder.length)[0];
}

/** The folder that a path belongs to; with `rooms`, the sub-folder. */
export function homeOf(path: string): string | undefined {
  const row = rowOf(path);
  if (row?.rooms !== true) return row?.folder;
  const [room = '', ...rest] = path.slice(row.folder.length + 1).split('/');
  return rest.length === 0 ? row.folder : `${row.folder}/${room}`;
}

export function mayImport(entries: readonly string[], path: string): boolean {
  const isExcluded = entries.some((entry) => entry.startsWith('!') && path.startsWith(entry.slice(1)));
  return !isExcluded && entries.some((entry) => covers(entry, path));
}

function covers(entry: string, path: string): boolean {
  return entry.endsWith('/') ? path.startsWith(entry) : path === entry;
}
