/** VolumeAttachments: which volume is on which Node. A drain waits until none is left. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const invalid = { code: 422, reason: 'Invalid' } as const;
const spec = { attacher: 'csi.muster.dev', nodeName: 'a', source: { persistentVolumeName: 'disk' } };

export const volumeAttachmentsCases: readonly Case[] = [
  {
    rule: 'a VolumeAttachment names an attacher, a volume and a Node',
    run: async ({ volumeAttachments, suffix }) => {
      expectFailure(await volumeAttachments.post(volumeAttachments.draft(`va-${suffix}`)), {
        ...invalid,
        fields: ['spec.attacher', 'spec.nodeName', 'spec.source'],
      });
      const misnamed = { ...spec, attacher: 'not a driver!', nodeName: 'Not A Node' };
      expectFailure(
        await volumeAttachments.post(volumeAttachments.draft(`va-${suffix}`, { spec: misnamed })),
        {
          ...invalid,
          fields: ['spec.attacher', 'spec.nodeName'],
        },
      );
    },
  },
  {
    rule: 'the spec of a VolumeAttachment is immutable; its status is a subresource and starts as not attached',
    run: async ({ volumeAttachments, suffix }) => {
      const name = `va-${suffix}`;
      const draft = volumeAttachments.draft(name, { spec, status: { attached: true } });
      expect(objectIn(await volumeAttachments.post(draft), 201)).toMatchObject({
        spec,
        status: { attached: false },
      });
      expectFailure(await volumeAttachments.patch(name, { merge: { spec: { nodeName: 'b' } } }), {
        ...invalid,
        fields: ['spec'],
      });
      const attached = { status: { attached: true, attachmentMetadata: { device: 'sda' } } };
      const same = await volumeAttachments.patch(name, { merge: attached });
      expect(objectIn(same)).toMatchObject({ status: { attached: false } });
      const reported = await volumeAttachments.patch(name, { merge: attached }, { subresource: 'status' });
      expect(objectIn(reported)).toMatchObject({ spec, ...attached });
      const gone = await volumeAttachments.delete(name);
      expect(objectIn(gone)).toMatchObject({ kind: 'VolumeAttachment', spec });
    },
  },
  {
    rule: 'a table of VolumeAttachments shows attacher, volume, Node and whether it is attached',
    run: async ({ volumeAttachments, target, suffix }) => {
      const name = `va-${suffix}`;
      objectIn(await volumeAttachments.post(volumeAttachments.draft(name, { spec })), 201);
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      const answer = await target.request({ method: 'GET', path: volumeAttachments.path(name), accept });
      expect(answer.body).toMatchObject({
        columnDefinitions: ['Name', 'Attacher', 'PV', 'Node', 'Attached', 'Age'].map((column) => ({
          name: column,
        })),
        rows: [{ cells: [name, 'csi.muster.dev', 'disk', 'a', false, expect.stringMatching(/^\d+s/)] }],
      });
    },
  },
];
