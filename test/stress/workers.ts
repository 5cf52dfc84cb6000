/** The worker processes: started, killed without a word, and replaced by others that go on with the Pods left waiting. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pollersPerWorker } from './plan.ts';
import { reportIn, type Report, type WorkerOrder } from './words.ts';

export interface WorkersOptions extends Pick<WorkerOrder, 'url' | 'seed'> {
  readonly onReport: (report: Report) => void;
  readonly onDeath: (how: string) => void;
}

interface Member {
  readonly life: number;
  readonly child: ChildProcess;
  /** The Pod that each poller asks for. */
  readonly pods: (string | null)[];
}

const program = fileURLToPath(new URL('./worker.ts', import.meta.url));

export class Workers {
  readonly #options: WorkersOptions;
  readonly #members = new Set<Member>();
  /** Ended on purpose. */
  readonly #expected = new Set<ChildProcess>();
  readonly killed = new Set<number>();
  #lives = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#members.size;
  }

  /** Pods that some worker asks for. */
  pods(): readonly string[] {
    return [...this.#members].flatMap(({ pods }) => pods.filter((pod) => pod !== null));
  }

  start(left: readonly (string | null)[] = []): void {
    const { url, seed } = this.#options;
    const pods = Array.from({ length: pollersPerWorker }, (_, index) => left[index] ?? null);
    const life = (this.#lives += 1);
    const child = fork(program, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const member: Member = { life, child, pods };
    this.#members.add(member);
    child.on('message', (message) => this.#heard(member, reportIn(message)));
    child.on('exit', (code, signal) => {
      this.#members.delete(member);
      if (!this.#expected.has(child)) this.#options.onDeath(`worker ${life} ended with ${code ?? signal}`);
    });
    child.send({ url, seed, life, pods } satisfies WorkerOrder);
  }

  #heard(member: Member, report: Report): void {
    if (report.kind === 'pod') member.pods[report.poller] = report.uid;
    if (report.kind === 'left') {
      const poller = member.pods.indexOf(report.uid);
      if (poller >= 0) member.pods[poller] = null;
    }
    this.#options.onReport(report);
  }

  /** Kills the one at that place and returns the Pods that it left behind. */
  async kill(place: number): Promise<readonly (string | null)[]> {
    const member = [...this.#members][place];
    if (member === undefined) return [];
    this.killed.add(member.life);
    await this.#end(member.child, () => member.child.kill('SIGKILL'));
    return member.pods;
  }

  /** Lets each end what it has begun. */
  async stop(): Promise<void> {
    const stopping = [...this.#members].map(({ child }) => this.#end(child, () => child.send('stop')));
    await Promise.all(stopping);
  }

  async #end(child: ChildProcess, how: () => unknown): Promise<void> {
    this.#expected.add(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    how();
    await gone;
  }
}
