/** VolumeAttachments: stored and validated, so that a drain of a Node can see remaining volumes. */
import { isJsonEqual } from '../json.ts';
import { textAt, withFields, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { column, text } from './builtin-columns.ts';
import { builtin } from './builtin.ts';
import { required, wrong } from './causes.ts';
import { valueAt } from './field-path.ts';
import { isSubdomainName } from './names.ts';
import { objectAt } from './reading.ts';
import { nameColumn, shownAge } from '../table/columns.ts';

const driverName = /^[a-zA-Z0-9]([-a-zA-Z0-9_.]*[a-zA-Z0-9])?$/;
const driverNameMax = 63;

function causes(attachment: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  if (old !== undefined && !isJsonEqual(old['spec'], attachment['spec']))
    return [wrong('spec', attachment['spec'], 'field is immutable')];
  const spec = objectAt(attachment, 'spec');
  const [attacher, nodeName] = [textAt(spec, 'attacher') ?? '', textAt(spec, 'nodeName') ?? ''];
  return [...attacherCauses(attacher), ...nodeNameCauses(nodeName), ...sourceCauses(attachment)];
}

function attacherCauses(attacher: string): readonly Cause[] {
  if (attacher === '') return [required('spec.attacher')];
  const isSound = driverName.test(attacher) && attacher.length <= driverNameMax;
  return isSound ? [] : [wrong('spec.attacher', attacher, 'not the name of a driver')];
}

function nodeNameCauses(name: string): readonly Cause[] {
  if (name === '') return [required('spec.nodeName')];
  return isSubdomainName(name) ? [] : [wrong('spec.nodeName', name, 'not the name of a Node')];
}

function sourceCauses(attachment: KubeObject): readonly Cause[] {
  const source = objectAt(objectAt(attachment, 'spec'), 'source');
  const isInline = source['inlineVolumeSpec'] !== undefined;
  const isNamed = (textAt(source, 'persistentVolumeName') ?? '') !== '';
  if (isInline !== isNamed) return [];
  return [required('spec.source', 'must be exactly one of inlineVolumeSpec and persistentVolumeName')];
}

/** A new attachment is unattached, independent of the sent status. */
function unattached(attachment: KubeObject): KubeObject {
  return withFields(attachment, { status: { attached: false } });
}

export const volumeAttachments = builtin({
  plural: 'volumeattachments',
  kind: 'VolumeAttachment',
  group: 'storage.k8s.io',
  namespaced: false,
  subresources: ['status'],
  unconditionalUpdate: false,
  returnsDeleted: true,
  columns: [
    nameColumn,
    text('Attacher', 'spec.attacher'),
    text('PV', 'spec.source.persistentVolumeName'),
    text('Node', 'spec.nodeName'),
    column('Attached', (one) => valueAt(one, 'status.attached') ?? false),
    shownAge,
  ],
  prepareNew: unattached,
  validate: causes,
});
