/** Rules about the audit entries of the recovery. */
import { expect } from 'vitest';
import type { Rule } from './rules.ts';
import { actDraft, draft, noon, podOf } from './harness.ts';

const job = draft('1');
const sibling = draft('2', { queuedAt: noon + 1 });

export const actRules: readonly Rule[] = [
  {
    rule: 'audit entries are found by job and by Pod, newest first; old entries are deleted',
    proves: async (fixture) => {
      const { store } = fixture;
      const pod = podOf('a');
      await store.record({ ...actDraft('1', { at: noon, pod }), outcome: 'deleted' });
      await store.record({ ...actDraft('2', { at: noon + 1, jobId: '7', pod }), outcome: 'failed' });
      await store.record({ ...actDraft('3', { at: noon + 2, jobId: '7' }), outcome: 'requeued' });
      const ids = async (filter: object) =>
        (await store.acts({ limit: 10, ...filter })).map(({ id }) => id).join(' ');
      expect(await ids({})).toBe('3 2 1');
      expect(await ids({ jobId: '7' })).toBe('3 2');
      expect(await ids({ podName: 'a' })).toBe('2 1');
      expect(await ids({ podUids: [pod.uid, 'other'] })).toBe('2 1');
      expect(await ids({ podUids: [] })).toBe('');
      expect(await ids({ limit: 1 })).toBe('3');
      expect(await store.prune({ notesBefore: noon + 1, jobsBefore: 0 })).toBe('all');
      expect(await ids({})).toBe('3 2');
    },
  },
  {
    rule: 'an audit entry is written in the transaction of its change, and not without a change',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job);
      const { generation } = await fixture.claim('a');
      await fixture.store.release(generation, actDraft('released', { generation }));
      await fixture.store.release(generation, actDraft('again', { generation }));
      await fixture.store.apply({ kind: 'enqueue', job }, actDraft('known'));
      await fixture.store.apply({ kind: 'enqueue', job: sibling }, actDraft('new'));
      await fixture.store.podStopped({ pod: podOf('z'), at: noon, ending: undefined }, actDraft('nobody'));
      await fixture.store.block({ pool: 'linux', pod: podOf('z'), at: noon }, actDraft('retired'));
      await fixture.store.block({ pool: 'linux', pod: podOf('z'), at: noon }, actDraft('retired twice'));
      const kept = await fixture.store.acts({ limit: 10 });
      expect(kept.map(({ id, outcome }) => `${id}: ${outcome}`)).toEqual([
        'retired: retired',
        'released: released',
        'new: changed',
      ]);
      expect(kept[0]?.evidence).toEqual({ seen: 'twice', ageMs: 5 });
    },
  },
  {
    rule: 'foreign text never blocks an audit entry or its change: lone surrogates and NUL are replaced',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(job);
      const { generation } = await fixture.claim('a');
      const said = `a\0b${'😀'.slice(0, 1)}`;
      const act = { ...actDraft('odd', { generation }), evidence: { said } };
      expect(await fixture.store.release(generation, act)).toBe('released');
      expect((await fixture.store.acts({ limit: 1 }))[0]?.evidence).toEqual({ said: 'a b\uFFFD' });
    },
  },
];
