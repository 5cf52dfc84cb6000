/** What a command that keeps running needs of the process around it; the real ones are built in src/bin only. */
import type { Command } from 'commander';
import type { KeyMaker } from '../hosts/ssh-key/controller.ts';
import type { RunCommand } from '../hosts/provider/static/wipe-command.ts';
import type { Clock } from '../platform/clock.ts';
import type { Connection, ConnectionPorts } from '../kube/client/connection.ts';
import type { KubeTransport } from '../kube/client/transport.ts';
import type { Random } from '../platform/random.ts';
import type { Secret } from '../platform/secret.ts';
import type { Outside } from '../platform/process/run-process.ts';
import type { Terminal } from './terminal.ts';

export interface ProcessPorts {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  /** A text that nobody can guess; without it, `random` draws tokens. */
  readonly newToken?: () => Secret;
  /** Resolves when someone asks the process to end. */
  readonly stopped: Promise<void>;
  /** Resolves when every promise that can go on has gone on; without it, one turn of the clock does. */
  readonly drain?: () => Promise<void>;
  /** Tells of promises that were rejected and that nobody looked at; the result ends it. */
  readonly unhandled?: (take: (error: unknown) => void) => () => void;
  /** For commands that are a process of their own, with signals and an exit of their own. */
  readonly life?: Outside;
  /** The commands of the laboratory, such as `up` and `sim`: without them the product stands alone. */
  readonly labCommands?: (ports: ProcessPorts) => readonly Command[];
  /** Without it, no SSH keys are made. */
  readonly makeSshKey?: KeyMaker;
  /** Without it, no command can reach a cluster. */
  readonly outside?: ClusterPorts;
  /** Without it, no jobs are run on this machine. */
  readonly jobs?: JobPorts;
}

/** What running jobs on one machine takes beside what any command has. */
export interface JobPorts {
  /** Undefined where there is no PostgreSQL for this machine. */
  readonly startDatabase: () => Promise<LocalDatabase | undefined>;
  /** A new private key for a GitHub App, as GitHub would give it. */
  readonly makeAppKey: () => Promise<Secret>;
}

/** A PostgreSQL that is empty at first and lives as long as this process, for nobody else. */
export interface LocalDatabase {
  readonly url: string;
  /** It has ended and left nothing when this resolves. */
  close(): Promise<void>;
}

/** What a command needs to reach a cluster, and the person who gave it. */
export interface ClusterPorts extends Omit<ConnectionPorts, 'now'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the person at the terminal types; undefined when they end the input. Without it there is nobody to ask. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Without it, nobody can wipe hosts that are owned. */
  readonly runCommand?: RunCommand;
  /** HTTP unless given. */
  readonly transport?: (connection: Connection) => KubeTransport;
}
