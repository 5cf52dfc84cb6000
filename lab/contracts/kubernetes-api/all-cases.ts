/** Every case of the contract, area by area. */
import type { Case } from './case.ts';
import { accessReviewsCases } from './cases/access-reviews.ts';
import { authorizationCases } from './cases/authorization.ts';
import { escalationCases } from './cases/escalation.ts';
import { podActionsCases } from './cases/pod-actions.ts';
import { tokensCases } from './cases/tokens.ts';
import { bookmarksCases } from './cases/bookmarks.ts';
import { builtinDiscoveryCases } from './cases/builtin-discovery.ts';
import { builtinFieldsCases } from './cases/builtin-fields.ts';
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
import { deploymentsCases } from './cases/deployments.ts';
import { discoveryCases } from './cases/discovery.ts';
import { dryRunCases } from './cases/dry-run.ts';
import { endpointSlicesCases } from './cases/endpoint-slices.ts';
import { errorsCases } from './cases/errors.ts';
import { eventsCases } from './cases/events.ts';
import { fieldValidationCases } from './cases/field-validation.ts';
import { finalizersCases } from './cases/finalizers.ts';
import { garbageCollectionCases } from './cases/garbage-collection.ts';
import { generationCases } from './cases/generation.ts';
import { impersonationCases } from './cases/impersonation.ts';
import { lastAppliedCases } from './cases/last-applied.ts';
import { leasesCases } from './cases/leases.ts';
import { listCases } from './cases/list.ts';
import { metadataCases } from './cases/metadata.ts';
import { namesCases } from './cases/names.ts';
import { namespaceFinalizeCases } from './cases/namespace-finalize.ts';
import { namespacesCases } from './cases/namespaces.ts';
import { noOpCases } from './cases/no-op.ts';
import { pagingCases } from './cases/paging.ts';
import { patchJsonCases } from './cases/patch-json.ts';
import { patchMergeCases } from './cases/patch-merge.ts';
import { patchStrategicCases } from './cases/patch-strategic.ts';
import { podAdmissionCases } from './cases/pod-admission.ts';
import { podRulesCases } from './cases/pod-rules.ts';
import { podDefaultsCases } from './cases/pod-defaults.ts';
import { podLogsCases } from './cases/pod-logs.ts';
import { podsCases } from './cases/pods.ts';
import { rolesCases } from './cases/roles.ts';
import { scaleSubresourceCases } from './cases/scale-subresource.ts';
import { selectorsCases } from './cases/selectors.ts';
import { serverSideApplyListsCases } from './cases/server-side-apply-lists.ts';
import { serverSideApplyCases } from './cases/server-side-apply.ts';
import { servicesCases } from './cases/services.ts';
import { statusSubresourceCases } from './cases/status-subresource.ts';
import { tablesCases } from './cases/tables.ts';
import { updateCases } from './cases/update.ts';
import { volumeAttachmentsCases } from './cases/volume-attachments.ts';
import { watchCases } from './cases/watch.ts';
import { deletionAnswersCases } from './cases/deletion-answers.ts';
import { requestOptionsCases } from './cases/request-options.ts';
import { typedMetadataCases } from './cases/typed-metadata.ts';
import { typedScaleCases } from './cases/typed-scale.ts';
import { writeOrderCases } from './cases/write-order.ts';

export const allCases: readonly Case[] = [
  ...bookmarksCases,
  ...builtinDiscoveryCases,
  ...builtinFieldsCases,
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
  ...deploymentsCases,
  ...discoveryCases,
  ...dryRunCases,
  ...endpointSlicesCases,
  ...errorsCases,
  ...eventsCases,
  ...fieldValidationCases,
  ...finalizersCases,
  ...garbageCollectionCases,
  ...generationCases,
  ...impersonationCases,
  ...lastAppliedCases,
  ...leasesCases,
  ...listCases,
  ...metadataCases,
  ...namesCases,
  ...namespaceFinalizeCases,
  ...namespacesCases,
  ...noOpCases,
  ...pagingCases,
  ...patchJsonCases,
  ...patchMergeCases,
  ...patchStrategicCases,
  ...podAdmissionCases,
  ...podDefaultsCases,
  ...podRulesCases,
  ...podLogsCases,
  ...podsCases,
  ...rolesCases,
  ...scaleSubresourceCases,
  ...selectorsCases,
  ...serverSideApplyCases,
  ...serverSideApplyListsCases,
  ...servicesCases,
  ...statusSubresourceCases,
  ...tablesCases,
  ...updateCases,
  ...volumeAttachmentsCases,
  ...watchCases,
  ...accessReviewsCases,
  ...authorizationCases,
  ...escalationCases,
  ...podActionsCases,
  ...tokensCases,
  ...writeOrderCases,
  ...typedScaleCases,
  ...typedMetadataCases,
  ...requestOptionsCases,
  ...deletionAnswersCases,
];
