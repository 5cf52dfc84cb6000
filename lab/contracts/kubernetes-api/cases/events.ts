/** Events: two APIs over one store. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { objectIn } from '../kube-object.ts';

export const eventsCases: readonly Case[] = [
  {
    rule: 'an Event of the core API is read in events.k8s.io under other field names',
    run: async ({ coreEvents, newEvents, namespace }) => {
      const about = { kind: 'Widget', name: 'w', namespace };
      const draft = coreEvents.draft('a', {
        involvedObject: about,
        reason: 'Tried',
        message: 'it was tried',
        type: 'Normal',
        count: 3,
        source: { component: 'contract' },
        firstTimestamp: '2001-02-03T04:05:06Z',
      });
      const { metadata } = objectIn(await coreEvents.post(draft), 201);
      expect(objectIn(await newEvents.get('a'))).toMatchObject({
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion },
        regarding: about,
        reason: 'Tried',
        note: 'it was tried',
        type: 'Normal',
        deprecatedCount: 3,
        deprecatedSource: { component: 'contract' },
        deprecatedFirstTimestamp: '2001-02-03T04:05:06Z',
      });
    },
  },
  {
    rule: 'an Event of events.k8s.io is read in the core API under other field names',
    run: async ({ coreEvents, newEvents, namespace }) => {
      const about = { kind: 'Widget', name: 'w', namespace };
      const draft = newEvents.draft('a', {
        regarding: about,
        eventTime: '2001-02-03T04:05:06.000007Z',
        action: 'Try',
        reason: 'Tried',
        note: 'it was tried',
        type: 'Warning',
        reportingController: 'contract.muster.dev/case',
        reportingInstance: 'one',
      });
      objectIn(await newEvents.post(draft), 201);
      expect(objectIn(await coreEvents.get('a'))).toMatchObject({
        apiVersion: 'v1',
        involvedObject: about,
        eventTime: '2001-02-03T04:05:06.000007Z',
        action: 'Try',
        reason: 'Tried',
        message: 'it was tried',
        type: 'Warning',
        reportingComponent: 'contract.muster.dev/case',
        reportingInstance: 'one',
      });
    },
  },
  {
    rule: 'an Event is in the namespace of its object',
    run: async ({ coreEvents }) => {
      const involvedObject = { kind: 'Widget', name: 'w', namespace: 'default' };
      const refused = await coreEvents.post(coreEvents.draft('a', { involvedObject, reason: 'Tried' }));
      expect(refused).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
      const field = 'involvedObject.namespace';
      expect(refused.body).toMatchObject({ details: { causes: [expect.objectContaining({ field })] } });
    },
  },
  {
    rule: 'an Event about a cluster-scoped object is in the namespace default',
    run: async ({ coreEvents, of, suffix }) => {
      const involvedObject = { kind: 'Node', name: 'n' };
      const elsewhere = await coreEvents.post(coreEvents.draft('a', { involvedObject, reason: 'Tried' }));
      expect(elsewhere).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
      const inDefault = of(coreEvents.resource, 'default');
      objectIn(
        await inDefault.post(inDefault.draft(`n.${suffix}`, { involvedObject, reason: 'Tried' })),
        201,
      );
    },
  },
  {
    rule: 'Events are selected by the field names of their own group',
    run: async ({ coreEvents, newEvents }) => {
      const fields = ['name', 'kind', 'uid', 'namespace', 'apiVersion', 'resourceVersion', 'fieldPath'];
      const status = async (events: typeof newEvents, field: string): Promise<number> =>
        (await events.list({ fieldSelector: `${field}=x` })).status;
      for (const field of [...fields.map((one) => `regarding.${one}`), 'reportingController']) {
        expect([field, await status(newEvents, field), await status(coreEvents, field)]).toEqual([
          field,
          200,
          400,
        ]);
      }
      for (const field of [...fields.map((one) => `involvedObject.${one}`), 'reportingComponent', 'source']) {
        expect([field, await status(newEvents, field), await status(coreEvents, field)]).toEqual([
          field,
          400,
          200,
        ]);
      }
    },
  },
];
