/** Guards of what is written on Pods: whom a stamp is for, who may take it off, and that a Pod is served once. */
import type { Guard } from './guard.ts';

/** What is said on a Pod that was served stands before all that the store says of it. */
const servedMark = {
  file: 'src/dispatch/serve/dispatcher.ts',
  text: "if (pod.isServed) return 'AlreadyServed';",
  without: '',
} as const;

export const markingPods: readonly Guard[] = [
  {
    id: 'a Pod that was served is told to end',
    places: [
      servedMark,
      {
        file: 'src/dispatch/serve/dispatcher.ts',
        text: "if (answer.kind === 'nothing' || answer.kind === 'untried') return { kind: 'nothing' };",
        without: "if (answer.kind !== 'claimed') return { kind: 'nothing' };",
      },
    ],
    story: 'dispatch-dies-after-the-promotion',
    noticed: { by: 'S12', saying: 'loses its stamp while it has a job' },
  },
  {
    id: 'a Pod that was served gets nothing more',
    places: [
      servedMark,
      {
        file: 'src/dispatch/store/contract/model/claims.ts',
        text: 'const free = request.pods.filter(({ uid }) => !tables.retired.has(uid) && !tables.isSpokenFor(uid));',
        without: 'const free = request.pods.filter(({ uid }) => !tables.retired.has(uid));',
      },
    ],
    story: 'token-of-another-pod',
    noticed: { by: 'S10', saying: 'two claims are on one Pod' },
  },
  {
    id: 'nothing is given to a Pod that is gone',
    places: [
      {
        file: 'src/dispatch/serve/dispatcher.ts',
        text: "if (pod === undefined) return { kind: 'gone' };",
        without: "if (pod === undefined) return { kind: 'nothing' };",
      },
    ],
    story: 'token-of-another-pod',
    noticed: { by: 'expect', saying: 'somebody is answered 401' },
  },
  {
    id: 'a stamp is for one Pod and not for its name',
    places: [
      {
        file: 'src/dispatch/serve/kube-pod-desk.ts',
        text: 'const metadata = { uid, resourceVersion, ...marks };',
        without: 'const metadata = { ...marks };',
      },
    ],
    story: 'pod-name-reused',
    noticed: { by: 'S9', saying: 'which never claimed it' },
  },
  {
    id: 'a stamp is taken off only by the claim that it is for',
    places: [
      {
        file: 'src/dispatch/serve/kube-pod-desk.ts',
        text: "return runnerPodOf(pod).stampedFor === generation ? 'stamped' : 'overtaken';",
        without: "return 'stamped';",
      },
      {
        file: 'src/dispatch/serve/kube-pod-desk.ts',
        text: 'if (pod?.metadata.uid === uid && isOurs)',
        without: 'if (pod?.metadata.uid === uid)',
      },
      // A poll that ends in time is undone before its Pod asks again.
      {
        file: 'src/dispatch/serve/register-in-time.ts',
        text: 'clock.after(Math.max(0, listener.until - clock.now()), stopWaiting),',
        without: '() => undefined,',
      },
      {
        file: 'src/dispatch/serve/register-in-time.ts',
        text: "listener.signal?.addEventListener('abort', stopWaiting, { once: true });",
        without: '',
      },
      {
        file: 'src/dispatch/serve/register-in-time.ts',
        text: 'sick.passOver(accountId, clock.now() + lookEveryMs);',
        without: '',
      },
    ],
    story: 'undone-too-late',
    noticed: { by: 'S12', saying: 'is deleted while it executes' },
  },
  {
    id: 'a stamp is not written over one that came later',
    places: [
      {
        file: 'src/dispatch/serve/kube-pod-desk.ts',
        text: 'const metadata = { uid, resourceVersion, ...marks };',
        without: 'const metadata = { uid, ...marks };',
      },
    ],
    story: 'stamped-too-late',
    noticed: { by: 'S12', saying: 'loses its stamp while it has a job' },
  },
  {
    id: 'an old stamp is taken off only where the store was asked about the Pod',
    places: [
      servedMark,
      {
        file: 'src/dispatch/serve/dispatcher.ts',
        text: "const isFree = answer.kind === 'nothing' && first.kind !== 'untried';",
        without: "const isFree = answer.kind === 'nothing';",
      },
    ],
    story: 'stamped-too-late',
    noticed: { by: 'S12', saying: 'loses its stamp while it has a job' },
  },
  {
    id: 'a Pod with a stamp that nobody knows of gets nothing',
    places: [
      servedMark,
      {
        file: 'src/dispatch/serve/dispatcher.ts',
        text: ' ?? (await this.#stampDoubt(pod));',
        without: ';',
      },
    ],
    story: 'older-database-and-a-greedy-job',
    noticed: { by: 'expect', saying: 'somebody is answered 410' },
  },
  {
    id: 'a Pod that was served gets nothing, whatever the store says',
    places: [servedMark],
    story: 'older-database-after-the-claim',
    noticed: { by: 'expect', saying: 'somebody is answered 410' },
  },
  {
    id: 'nothing is given to a Pod that is going',
    places: [
      {
        file: 'src/dispatch/serve/kube-pod-desk.ts',
        text: 'const metadata = { uid, resourceVersion, ...marks };',
        without: 'const metadata = { uid, ...marks };',
      },
    ],
    story: 'pod-leaving-while-it-polls',
    noticed: { by: 'never', saying: 'registers a runner for pod-1' },
  },
];
