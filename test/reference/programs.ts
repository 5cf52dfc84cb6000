/**
 * The table of reference programs: real programs for comparison with our own parts, each with its pinned version and
 * the recipe that installs it.
 */

export const groupNames = [
  'kube',
  'capi',
  'helm',
  'postgres',
  'sshd',
  'zsh',
  'chromium',
  'prometheus',
] as const;
export type GroupName = (typeof groupNames)[number];

/** Built from the Go module in `modules/<module>`, whose go.mod and go.sum pin every input. */
export interface GoRecipe {
  readonly kind: 'go';
  readonly module: 'kube' | 'capi' | 'helm';
  readonly package: string;
  readonly flags: readonly string[];
  /** One exact replacement in the main.go of the main package, where no flag offers the needed behavior. */
  readonly patch?: { readonly find: string; readonly replaceWith: string };
  /** Files of the module that belong to the program: path in the module -> path in the cache entry. */
  readonly alsoKeep?: { readonly from: string; readonly paths: Readonly<Record<string, string>> };
}

/** Installed by the system's package manager, under one of several names and places. */
export interface DebianRecipe {
  readonly kind: 'debian';
  readonly package: string;
  readonly commands: readonly string[];
  /** Globs with at most one `*` folder, highest match first, for programs outside of Debian's PATH. */
  readonly places: readonly string[];
}

export interface ReferenceProgram {
  readonly name: string;
  readonly group: GroupName;
  /** Exact for programs that we build; for a Debian program the oldest accepted version. */
  readonly version: string;
  readonly versionArgs: readonly string[] | 'pinned';
  readonly recipe: GoRecipe | DebianRecipe;
}

const kubeVersion = '1.36.4';
const capiVersion = '1.13.5';
const strip = '-s -w';

/** Without these the binaries call themselves v0.0.0-master, which helm and clusterctl cannot parse. */
const kubeLinkFlags = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
  .flatMap((at) => [
    `-X ${at}.gitVersion=v${kubeVersion}`,
    `-X ${at}.gitMajor=1`,
    `-X ${at}.gitMinor=36`,
    `-X ${at}.gitCommit=bb826b1d48562f110659e64e8ec444327433db95`,
    `-X ${at}.gitTreeState=clean`,
    `-X ${at}.buildDate=2026-08-20T03:06:27Z`,
  ])
  .join(' ');

const capiLinkFlags = [
  `-X sigs.k8s.io/cluster-api/version.gitVersion=v${capiVersion}`,
  '-X sigs.k8s.io/cluster-api/version.gitMajor=1',
  '-X sigs.k8s.io/cluster-api/version.gitMinor=13',
].join(' ');

function kube(command: string, versionArgs: readonly string[]): ReferenceProgram {
  return {
    name: command,
    group: 'kube',
    version: kubeVersion,
    versionArgs,
    recipe: {
      kind: 'go',
      module: 'kube',
      package: `k8s.io/kubernetes/cmd/${command}`,
      flags: ['-tags', 'selinux,notest', '-ldflags', `${strip} ${kubeLinkFlags}`],
    },
  };
}

function debian(program: Omit<ReferenceProgram, 'recipe'> & Omit<DebianRecipe, 'kind'>): ReferenceProgram {
  const { package: name, commands, places, ...rest } = program;
  return { ...rest, recipe: { kind: 'debian', package: name, commands, places } };
}

export const programs: readonly ReferenceProgram[] = [
  {
    name: 'etcd',
    group: 'kube',
    version: '3.6.8',
    versionArgs: ['--version'],
    recipe: { kind: 'go', module: 'kube', package: 'go.etcd.io/etcd/server/v3', flags: ['-ldflags', strip] },
  },
  kube('kube-apiserver', ['--version']),
  kube('kube-controller-manager', ['--version']),
  kube('kube-scheduler', ['--version']),
  kube('kubectl', ['version', '--client']),
  {
    name: 'cluster-api',
    group: 'capi',
    version: capiVersion,
    versionArgs: 'pinned',
    recipe: {
      kind: 'go',
      module: 'capi',
      package: 'sigs.k8s.io/cluster-api',
      flags: ['-ldflags', `${strip} ${capiLinkFlags}`],
      // Its webhook server listens on every interface without a flag to change that; reference programs stay on
      // loopback.
      patch: { find: 'Port:     webhookPort,', replaceWith: 'Port: webhookPort, Host: "127.0.0.1",' },
      alsoKeep: {
        from: 'sigs.k8s.io/cluster-api',
        paths: {
          'config/crd/bases': 'crds',
          'bootstrap/kubeadm/config/crd/bases': 'bootstrap-crds',
          'controlplane/kubeadm/config/crd/bases': 'control-plane-crds',
          'config/webhook/manifests.yaml': 'webhooks.yaml',
        },
      },
    },
  },
  {
    name: 'clusterctl',
    group: 'capi',
    version: capiVersion,
    versionArgs: ['version', '-o', 'short'],
    recipe: {
      kind: 'go',
      module: 'capi',
      package: 'sigs.k8s.io/cluster-api/cmd/clusterctl',
      flags: ['-ldflags', `${strip} ${capiLinkFlags}`],
    },
  },
  {
    name: 'helm',
    group: 'helm',
    version: '4.2.4',
    versionArgs: ['version', '--short'],
    recipe: {
      kind: 'go',
      module: 'helm',
      package: 'helm.sh/helm/v4/cmd/helm',
      flags: ['-ldflags', `${strip} -X helm.sh/helm/v4/internal/version.version=v4.2.4`],
    },
  },
  debian({
    name: 'postgres',
    group: 'postgres',
    version: '15',
    versionArgs: ['--version'],
    package: 'postgresql',
    commands: ['postgres'],
    places: ['/usr/lib/postgresql/*/bin/postgres'],
  }),
  debian({
    name: 'sshd',
    group: 'sshd',
    version: '9.0',
    versionArgs: ['-V'],
    package: 'openssh-server',
    commands: ['sshd'],
    places: ['/usr/sbin/sshd'],
  }),
  debian({
    name: 'zsh',
    group: 'zsh',
    version: '5.8',
    versionArgs: ['--version'],
    package: 'zsh',
    commands: ['zsh'],
    places: [],
  }),
  debian({
    name: 'chromium',
    group: 'chromium',
    version: '120',
    versionArgs: ['--version'],
    package: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    places: [],
  }),
  debian({
    name: 'promtool',
    group: 'prometheus',
    version: '2.40',
    versionArgs: ['--version'],
    package: 'prometheus',
    commands: ['promtool'],
    places: [],
  }),
];

export function programsOf(group: GroupName): readonly ReferenceProgram[] {
  return programs.filter((program) => program.group === group);
}

export function programNamed(name: string): ReferenceProgram {
  const found = programs.find((program) => program.name === name);
  if (found === undefined) throw new Error(`no reference program is called ${name}`);
  return found;
}
