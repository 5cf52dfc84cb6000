/** Guards of runner Pods: none is removed that works, or is about to. */
import { exchange } from './exchange.ts';
import type { Guard, Place } from './guard.ts';

/** What GitHub says when it is asked, and what it refuses when somebody acts. */
const words: readonly Place[] = [
  {
    file: 'src/dispatch/recovery/orphaned-stamped-pods.ts',
    text: "if (own.some(({ isBusy }) => isBusy)) return 'runner-busy';",
    without: '',
  },
  {
    file: 'src/dispatch/recovery/orphaned-stamped-pods.ts',
    text: "if (!(await runners.letGo(pod, own))) return 'runner-busy';",
    without: '',
  },
];

export const keepingPods: readonly Guard[] = [
  {
    id: 'the claim that ends is that of the runner which did the job',
    places: [
      {
        file: 'src/dispatch/store/contract/model/effects.ts',
        text: `if (claim.accountId === known.accountId && claim.runnerName === end.runnerName)
      tables.claims.delete(claim.generation);`,
        without: `if (claim.jobId === known.id)
      tables.claims.delete(claim.generation);`,
      },
      exchange,
      // Without the exchange, the second Pod is not served at all.
      {
        file: 'src/dispatch/store/contract/model/claims.ts',
        text: "|| job.executor !== undefined) return 'finished';",
        without: ") return 'finished';",
      },
      {
        file: 'src/dispatch/recovery/stamped-pods.ts',
        text: 'const job = jobs.get(session.executedJobId ?? session.jobId);',
        without: 'const job = jobs.get(session.jobId);',
      },
      {
        file: 'src/dispatch/recovery/orphaned-stamped-pods.ts',
        text: '.map(({ executedJobId, jobId }) => executedJobId ?? jobId);',
        without: '.map(({ jobId }) => jobId);',
      },
      {
        file: 'src/dispatch/recovery/orphaned-stamped-pods.ts',
        text: "if (!(await this.#isOutOfWork(session, job, isGivenBack))) return 'runner-busy';",
        without: '',
      },
    ],
    story: 'runner-takes-another-job',
    noticed: { by: 'S12', saying: 'is deleted while it executes' },
  },
  {
    id: 'who is spoken for is not retired',
    places: [
      {
        file: 'src/dispatch/recovery/orphaned-stamped-pods.ts',
        text: "if ((await this.#retire(pod, evidence)) === 'spoken-for') return 'spoken-for';",
        without: '',
      },
      ...words,
    ],
    story: 'lagging-database',
    noticed: { by: 'S12', saying: 'is deleted while it executes' },
  },
  {
    id: 'a database without a claim is not believed',
    places: [
      {
        file: 'src/dispatch/recovery/stamped-pods.ts',
        text: 'return claims.length === 0 && sessions.length === 0 && atWork.length >= suspiciousPods;',
        without: 'return false;',
      },
    ],
    story: 'nothing-shown',
    noticed: { by: 'never', saying: 'recovery: orphaned_stamped_pod' },
  },
  {
    id: 'what is shown is not all that is asked before a Pod goes',
    places: [
      {
        file: 'src/dispatch/recovery/stamped-pods.ts',
        text: 'return claims.length === 0 && sessions.length === 0 && atWork.length >= suspiciousPods;',
        without: 'return false;',
      },
      {
        file: 'src/dispatch/recovery/orphaned-stamped-pods.ts',
        text: "if ((await this.#retire(pod, evidence)) === 'spoken-for') return 'spoken-for';",
        without: '',
      },
      ...words,
    ],
    story: 'nothing-shown',
    noticed: { by: 'S12', saying: 'is deleted while it executes' },
  },
  {
    id: 'GitHub is asked before a Pod without a claim goes',
    places: words,
    story: 'older-database',
    noticed: { by: 'S12', saying: 'is deleted while it executes' },
  },
  {
    id: 'a Pod whose job was given back goes before that job ends',
    places: [
      {
        file: 'src/dispatch/recovery/stamped-pods.ts',
        text: 'if (!isGivenBack(session, job)) return undefined;',
        without: 'return undefined;',
      },
    ],
    story: 'runners-that-hang',
    noticed: { by: 'expect', saying: 'Pod pod-1 is gone' },
  },
  {
    id: 'a Pod that cannot be stamped gets nothing',
    places: [
      {
        file: 'src/dispatch/serve/dispatcher.ts',
        text: "if (stamped !== 'stamped') return await undo.all(unstamped[stamped]);",
        without: '',
      },
    ],
    story: 'pod-deleted-under-a-claim',
    noticed: { by: 'never', saying: 'registers a runner for pod-1' },
  },
  {
    id: 'a Pod that was stamped meanwhile is not surplus',
    places: [
      {
        file: 'src/controllers/pool/pod-acts.ts',
        text: 'if (!isAlive(pod) || !isIdle(pod)) return false;',
        without: 'if (!isAlive(pod)) return false;',
      },
      {
        file: 'src/controllers/pool/removal.ts',
        text: 'await client.delete(resource, placeOf({ metadata }), { uid, resourceVersion });',
        without: 'await client.delete(resource, placeOf({ metadata }), { uid });',
      },
    ],
    story: 'scale-down-racing-a-claim',
    noticed: { by: 'never', saying: 'Pod pod-1 is leaving' },
  },
  {
    id: 'a roll replaces idle Pods only',
    places: [
      {
        file: 'src/controllers/pool/roll.ts',
        text: 'const open = stale.filter((pod) => !isDrainEligible(pod) && isIdle(pod));',
        without: 'const open = stale.filter((pod) => !isDrainEligible(pod));',
      },
      {
        file: 'src/controllers/pool/pod-acts.ts',
        text: 'if (!isAlive(pod) || !isIdle(pod)) return false;',
        without: 'if (!isAlive(pod)) return false;',
      },
    ],
    story: 'image-roll',
    noticed: { by: 'never', saying: 'Pod pod-1 is leaving' },
  },
];
