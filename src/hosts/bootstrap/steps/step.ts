/**
 * A step of the bootstrap: what it reads, what differs, what it changes, and how its effect is proved. `plan` is pure; the
 * scripts are plain sh, the same under zsh and bash.
 */
import type { Secret } from '../../../platform/secret.ts';
import type { Stdin, UploadSource } from '../ssh/port.ts';

export const stepNames = ['sudo', 'firewall', 'agent'] as const;
export type StepName = (typeof stepNames)[number];

/** Facts that a probe or a proof printed, one `key=value` a line. */
export type Facts = Readonly<Record<string, string>>;

export interface Script {
  /** Names the script in the journal of the host, in errors and in metrics. */
  readonly name: string;
  /** Statements of sh; the frame in front of them is added when the script is sent. */
  readonly body: string;
}

export interface RunScript extends Script {
  readonly kind: 'run';
  /** A secret travels here and nowhere else. */
  readonly stdin?: Stdin;
  readonly deadlineMs?: number;
}

/** A file that is on its way to the host; `path` is below the root of the host. */
export interface Upload {
  readonly kind: 'upload';
  readonly name: string;
  readonly source: UploadSource;
  readonly path: string;
  readonly mode: string;
}

/** One change of the host. After a cut between two changes the step runs again from its probe. */
export type Change = RunScript | Upload;

export interface Step {
  readonly name: StepName;
  /** Only reads. */
  readonly probe: (config: HostConfig) => Script;
  /** What differs from the wanted state; empty where nothing is to be changed. */
  readonly plan: (config: HostConfig, facts: Facts) => readonly string[];
  readonly apply: (config: HostConfig, facts: Facts) => readonly Change[];
  /** Sees the effect of the changes, not an exit code; it prints `proved=yes`, or why it is not so. */
  readonly prove: (config: HostConfig, facts: Facts) => Script;
}

export interface HostConfig {
  readonly user: string;
  /** Undefined where the provider returns none, as on hosts that a person prepared. */
  readonly sudoPassword: Secret | undefined;
  readonly fence: Fence;
  readonly firewall: FirewallConfig;
  readonly agent: AgentConfig;
}

/** Written on the host: a leader that was overtaken finds a newer fence and changes nothing. */
export interface Fence {
  readonly machineUid: string;
  readonly epoch: number;
  /** The term of the leader, which grows with each change of the leader. */
  readonly term: number;
}

export interface FirewallConfig {
  /** The network of the virtual machines. */
  readonly vmNetwork: string;
  /** An address of that network that no virtual machine has, for the proof. */
  readonly probeSource: string;
  readonly blocked: readonly string[];
  /** Addresses with a port, for the proof: one that must be blocked and one that must be reached. */
  readonly blockedProbe: Endpoint;
  readonly allowedProbe: Endpoint;
}

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export interface AgentConfig {
  readonly nodeName: string;
  readonly fleet: string;
  readonly providerId: string;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly hostCpu: number;
  readonly hostMemoryMb: number;
  readonly maxPods: number;
  /** Names the file of the token, and holds no secret. */
  readonly kubeconfig: string;
  /** Written where the host has none; from then on the agent renews its token. */
  readonly token: Secret;
  readonly payload: Payload;
  /** The Node.js program of the host. */
  readonly nodeProgram: string;
  readonly runnerHome: string;
  /** More variables of the agent, and of its Pods. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long a new process must live to count as started. */
  readonly settleSeconds: number;
  /** How long to wait for a new process. */
  readonly startSeconds: number;
}

export interface Payload {
  /** Names the folder on the host. */
  readonly version: string;
  readonly files: readonly PayloadFile[];
}

export interface PayloadFile {
  readonly name: string;
  readonly source: UploadSource;
}

/** Text in single quotes for sh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Lines of other forms are left out: a login shell may print a greeting. */
export function parseFacts(stdout: string): Facts {
  const pairs = stdout.split('\n').map((line) => /^([a-z][a-z0-9-]*)=(.*)$/.exec(line));
  return Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', pair[2] ?? '']])));
}
