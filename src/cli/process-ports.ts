/** What a command that keeps running needs of the process around it; the real ones are built in src/bin only. */
import type { KeyMaker } from '../controllers/fleet-key/fleet-key.ts';
import type { RunCommand } from '../provider/static/wipe-command.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Connection, ConnectionPorts } from '../runtime/kube/connection.ts';
import type { KubeTransport } from '../runtime/kube/transport.ts';
import type { Random } from '../runtime/random.ts';
import type { Secret } from '../runtime/secret.ts';
import type { Outside } from '../runtime/process/run-process.ts';
import type { Done } from '../sim/runner.ts';
import type { Task, TaskResult } from '../sim/tasks.ts';
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
  /** Without it, everything runs in this thread. */
  readonly threads?: Threads;
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

/** Threads beside this one, for work that would keep it busy. */
export interface Threads {
  /** How many there is a core for. */
  readonly count: number;
  /** Does a task in a thread of its own. */
  run(task: Task, ports: ThreadPorts): Promise<TaskResult>;
}

export interface ThreadPorts {
  /** Told of how far it is. */
  readonly progress: (done: Done) => void;
  readonly stopped: Promise<void>;
}
