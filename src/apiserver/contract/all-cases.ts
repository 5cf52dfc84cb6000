/** Every case of the contract, area by area. */
import type { Case } from './case.ts';
import { bookmarksCases } from './cases/bookmarks.ts';
import { concurrencyCases } from './cases/concurrency.ts';
import { configMapsAndSecretsCases } from './cases/config-maps-and-secrets.ts';
import { crdDefaultingCases } from './cases/crd-defaulting.ts';
import { crdPruningCases } from './cases/crd-pruning.ts';
import { crdRatchetingCases } from './cases/crd-ratcheting.ts';
import { crdRegistrationCases } from './cases/crd-registration.ts';
import { crdValidationCases } from './cases/crd-validation.ts';
import { crdVersionsCases } from './cases/crd-versions.ts';
import { createCases } from './cases/create.ts';
import { deleteCases } from './cases/delete.ts';
import { discoveryCases } from './cases/discovery.ts';
import { dryRunCases } from './cases/dry-run.ts';
import { errorsCases } from './cases/errors.ts';
import { eventsCases } from './cases/events.ts';
import { fieldValidationCases } from './cases/field-validation.ts';
import { finalizersCases } from './cases/finalizers.ts';
import { garbageCollectionCases } from './cases/garbage-collection.ts';
import { generationCases } from './cases/generation.ts';
import { leasesCases } from './cases/leases.ts';
import { listCases } from './cases/list.ts';
import { metadataCases } from './cases/metadata.ts';
import { namesCases } from './cases/names.ts';
import { namespacesCases } from './cases/namespaces.ts';
import { noOpCases } from './cases/no-op.ts';
import { pagingCases } from './cases/paging.ts';
import { patchJsonCases } from './cases/patch-json.ts';
import { patchMergeCases } from './cases/patch-merge.ts';
import { patchStrategicCases } from './cases/patch-strategic.ts';
import { podsCases } from './cases/pods.ts';
import { scaleSubresourceCases } from './cases/scale-subresource.ts';
import { selectorsCases } from './cases/selectors.ts';
import { serverSideApplyListsCases } from './cases/server-side-apply-lists.ts';
import { serverSideApplyCases } from './cases/server-side-apply.ts';
import { statusSubresourceCases } from './cases/status-subresource.ts';
import { tablesCases } from './cases/tables.ts';
import { updateCases } from './cases/update.ts';
import { watchCases } from './cases/watch.ts';
import { deletionAnswersCases } from './cases/deletion-answers.ts';
import { requestOptionsCases } from './cases/request-options.ts';
import { typedMetadataCases } from './cases/typed-metadata.ts';
import { typedScaleCases } from './cases/typed-scale.ts';
import { writeOrderCases } from './cases/write-order.ts';

export const allCases: readonly Case[] = [
  ...bookmarksCases,
  ...concurrencyCases,
  ...configMapsAndSecretsCases,
  ...crdDefaultingCases,
  ...crdPruningCases,
  ...crdRatchetingCases,
  ...crdRegistrationCases,
  ...crdValidationCases,
  ...crdVersionsCases,
  ...createCases,
  ...deleteCases,
  ...discoveryCases,
  ...dryRunCases,
  ...errorsCases,
  ...eventsCases,
  ...fieldValidationCases,
  ...finalizersCases,
  ...garbageCollectionCases,
  ...generationCases,
  ...leasesCases,
  ...listCases,
  ...metadataCases,
  ...namesCases,
  ...namespacesCases,
  ...noOpCases,
  ...pagingCases,
  ...patchJsonCases,
  ...patchMergeCases,
  ...patchStrategicCases,
  ...podsCases,
  ...scaleSubresourceCases,
  ...selectorsCases,
  ...serverSideApplyListsCases,
  ...serverSideApplyCases,
  ...statusSubresourceCases,
  ...tablesCases,
  ...updateCases,
  ...watchCases,
  ...writeOrderCases,
  ...typedScaleCases,
  ...typedMetadataCases,
  ...requestOptionsCases,
  ...deletionAnswersCases,
];
