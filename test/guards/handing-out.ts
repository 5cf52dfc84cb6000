/** Guards of handing jobs out: what a crash or a failure leaves behind, and whom a claim is for. */
import { exchange } from './exchange.ts';
import type { Guard } from './guard.ts';

export const handingOut: readonly Guard[] = [
  {
    id: 'whoever is being served is served before dispatch ends',
    places: [
      {
        file: 'src/dispatch/dispatch-service.ts',
        text: 'await this.polls.settled();',
        without: '',
      },
    ],
    story: 'deploy-mid-dispatch',
    noticed: { by: 'expect', saying: '19 jobs of a are at work' },
  },
  {
    id: 'a stamp goes with what it was for',
    places: [
      {
        file: 'src/dispatch/serve/dispatcher.ts',
        text: "undo.add('the stamp', async () => pods.unstamp(pod, stamp.generation));",
        without: '',
      },
      {
        file: 'src/dispatch/serve/dispatcher.ts',
        text: 'if (isFree && pod.stampedFor !== undefined) await this.#clearOldStamp(pod, pod.stampedFor);',
        without: '',
      },
    ],
    story: 'registration-fails',
    noticed: { by: 'expect', saying: 'Pod pod-1 is free' },
  },
  {
    id: 'a Pod that asks again gives back what it was not told of',
    places: [
      {
        file: 'src/dispatch/store/contract/model/claims.ts',
        text: 'for (const { uid } of request.pods) giveUpUnanswered(tables, uid);',
        without: '',
      },
    ],
    story: 'dispatch-dies-after-the-claim',
    noticed: { by: 'expect', saying: 'Pod pod-1 is stamped' },
  },
  {
    id: 'a stamp that nobody stands behind is taken off',
    places: [
      {
        file: 'src/dispatch/serve/dispatcher.ts',
        text: 'if (isFree && pod.stampedFor !== undefined) await this.#clearOldStamp(pod, pod.stampedFor);',
        without: '',
      },
    ],
    story: 'dispatch-dies-after-the-stamp',
    noticed: { by: 'expect', saying: 'Pod pod-1 is free' },
  },
  {
    id: 'a registration that nobody uses is removed',
    places: [
      {
        file: 'src/dispatch/recovery/recovery-office.ts',
        text: 'new GhostRunners(ports, poolNames),',
        without: '',
      },
    ],
    story: 'dispatch-dies-after-the-registration',
    noticed: { by: 'expect', saying: 'GitHub has 1 runner' },
  },
  {
    id: 'GitHub is asked about the job of a Pod that ended',
    places: [
      {
        file: 'src/dispatch/http/manager-desk.ts',
        text: 'podEnded({ pod, jobs: await store.podStopped({ pod, at: report.endedAt, ending: report.ending }) });',
        without: 'await store.podStopped({ pod, at: report.endedAt, ending: report.ending });',
      },
      {
        file: 'src/dispatch/recovery/orphaned-runners.ts',
        text: "if (holder === undefined || isMissing(holder.pod.uid, pods)) return { ...found, reason: 'pod_stopped' };",
        without: '',
      },
    ],
    story: 'answer-lost',
    noticed: { by: 'expect', saying: 'job a is at work' },
  },
  {
    id: 'a job that was over before it was known is kept',
    places: [
      {
        file: 'src/dispatch/store/contract/model/effects.ts',
        text: `const known = tables.jobs.get(draft.id) ?? newJob(draft, 'queued');
  if (known.state === 'completed') return 'unchanged';`,
        without: `const known = tables.jobs.get(draft.id);
  if (known === undefined || known.state === 'completed') return 'unchanged';`,
      },
    ],
    story: 'completed-before-queued',
    noticed: { by: 'expect', saying: 'job a is completed' },
  },
  {
    id: 'what is over does not wait again',
    places: [
      {
        file: 'src/dispatch/store/contract/model/effects.ts',
        text: "const state = known.state === 'waiting' ? 'queued' : known.state;",
        without: "const state = 'queued';",
      },
    ],
    story: 'completed-before-queued',
    noticed: { by: 'S18', saying: 'was over and is queued' },
  },
  {
    id: 'a webhook is carried out once',
    places: [
      {
        file: 'src/dispatch/store/contract/model/memory-store.ts',
        text: "if (this.#tables.deliveries.has(delivery.guid)) return 'known';",
        without: '',
      },
      {
        file: 'src/dispatch/store/contract/model/effects.ts',
        text: "const state = known.state === 'waiting' ? 'queued' : known.state;",
        without: "const state = 'queued';",
      },
      {
        file: 'src/dispatch/store/contract/model/effects.ts',
        text: "if (tables.heardQueued.has(draft.id)) return 'unchanged';",
        without: '',
      },
    ],
    story: 'late-queued',
    noticed: { by: 'S18', saying: 'was over and is queued' },
  },
  {
    id: 'no account gets more than its limit',
    places: [
      {
        file: 'src/dispatch/store/choose-jobs.ts',
        text: 'return head !== undefined && headroom(this.#queue.limit, this.#used, head.shape) > 0;',
        without: 'return head !== undefined;',
      },
    ],
    story: 'account-at-its-limit',
    noticed: { by: 'S13', saying: 'more than its limit' },
  },
  {
    id: 'an account at its limit holds up nobody else',
    places: [
      {
        file: 'src/dispatch/store/choose-jobs.ts',
        text: 'const next = lines.filter((line) => line.hasRoom()).toSorted((a, b) => a.compare(b, at))[0];',
        without: `const next = lines.every((line) => line.hasRoom()) ? lines.toSorted((a, b) => a.compare(b, at))[0] : undefined;`,
      },
    ],
    story: 'account-at-its-limit',
    noticed: { by: 'expect', saying: 'job b is at work' },
  },
  {
    id: 'what just failed rests, and others go first',
    places: [
      {
        file: 'src/dispatch/dispatch-service.ts',
        text: 'except: () => sick.now() });',
        without: 'except: () => ({ jobs: new Set(), repositories: new Set(), accounts: new Set() }) });',
      },
    ],
    story: 'app-without-permission',
    noticed: { by: 'expect', saying: 'job b is at work' },
  },
  {
    id: 'nobody is reserved for an account without the App',
    places: [
      {
        file: 'src/dispatch/store/contract/model/claims.ts',
        text: ' &&\n      tables.hasApp(job.accountId),',
        without: ',',
      },
    ],
    story: 'app-uninstalled',
    noticed: { by: 'expect', saying: 'was told 0 times' },
  },
  {
    id: 'a job whose runner took another one that nobody had waits again',
    places: [exchange],
    story: 'runner-takes-an-unknown-job',
    noticed: { by: 'expect', saying: 'job a is at work' },
  },
];
