{{/* Generated from src/manager/kube-rights.ts; do not edit. To change it run: npm run generate */}}
{{- define "muster.rules.fleet" -}}
# one for each server; made, claimed, ordered to be wiped, and forgotten when the server is gone
- apiGroups: [muster.dev]
  resources: [machosts]
  verbs: [get, list, watch, create, patch, delete]
# what was seen of it, and its state
- apiGroups: [muster.dev]
  resources: [machosts/status]
  verbs: [patch]
# which host it means, its finalizer, its provider id; all are listed before a host is taken back
- apiGroups: [infrastructure.cluster.x-k8s.io]
  resources: [scalewayapplesiliconmachines]
  verbs: [get, list, watch, patch]
# its host, addresses, conditions
- apiGroups: [infrastructure.cluster.x-k8s.io]
  resources: [scalewayapplesiliconmachines/status]
  verbs: [patch]
# what Cluster API is told of a cluster for which nothing is built
- apiGroups: [infrastructure.cluster.x-k8s.io]
  resources: [scalewayapplesiliconclusters]
  verbs: [list, watch]
# the same
- apiGroups: [infrastructure.cluster.x-k8s.io]
  resources: [scalewayapplesiliconclusters/status]
  verbs: [patch]
# the same for its control plane
- apiGroups: [controlplane.cluster.x-k8s.io]
  resources: [mustercontrolplanes]
  verbs: [list, watch]
# the same
- apiGroups: [controlplane.cluster.x-k8s.io]
  resources: [mustercontrolplanes/status]
  verbs: [patch]
# whether the Cluster above a machine is paused or not ready yet
- apiGroups: [cluster.x-k8s.io]
  resources: [clusters]
  verbs: [get]
# one condition, on a Cluster that names no control plane
- apiGroups: [cluster.x-k8s.io]
  resources: [clusters/status]
  verbs: [patch]
{{- if .Values.manager.fleetSpread.deployment }}
# which Macs there are to spread a Deployment over
- apiGroups: ['']
  resources: [nodes]
  verbs: [list, watch]
{{- end }}
# an Event lies in the namespace of the machine it is about, and in `default` for a host
- apiGroups: ['']
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{- define "muster.rules.lease" -}}
# replicas agree by one Lease who leads; a role cannot name what does not exist yet
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
# the same Lease
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [muster-manager]
  verbs: [get, update]
{{- end -}}

{{- define "muster.rules.secrets" -}}
# credentials of hosts, and keys of fleets; one that is there already is read before it is written, those of a host go with its machine, and nothing is listed
- apiGroups: ['']
  resources: [secrets]
  verbs: [get, create, patch, delete]
{{- end -}}

{{- define "muster.rules.fleet-spread" -}}
# the one Deployment that is rolled when the set of Macs changes
- apiGroups: [apps]
  resources: [deployments]
  resourceNames: [{{ .Values.manager.fleetSpread.deployment | quote }}]
  verbs: [get, patch]
{{- end -}}

{{- define "muster.rules.static" -}}
# the list of owned Macs
- apiGroups: ['']
  resources: [configmaps]
  resourceNames: [{{ .Values.static.hosts | quote }}]
  verbs: [get]
# their names, and wipes that were begun
- apiGroups: ['']
  resources: [configmaps]
  resourceNames: [{{ printf "%s-notes" .Values.static.hosts | quote }}]
  verbs: [get, patch]
{{- if .Values.static.passwordsSecret }}
# their passwords
- apiGroups: ['']
  resources: [secrets]
  resourceNames: [{{ .Values.static.passwordsSecret | quote }}]
  verbs: [get]
{{- end }}
{{- end -}}

{{- define "muster.rules.runners" -}}
# their finalizer, and how many Pods are asked for; read again before either is written
- apiGroups: [tuist.dev]
  resources: [runnerpools]
  verbs: [get, list, watch, patch]
# what was seen of their Pods
- apiGroups: [tuist.dev]
  resources: [runnerpools/status]
  verbs: [patch]
# one for each job; read again before it is removed, labelled when its image is old, and all of a pool are listed before the pool may go
- apiGroups: ['']
  resources: [pods]
  verbs: [get, list, watch, create, patch, delete]
# the last lines of one that did not end well, before it is removed
- apiGroups: ['']
  resources: [pods/log]
  verbs: [get]
# one for each Pod, made before it and removed with it
- apiGroups: ['']
  resources: [serviceaccounts]
  verbs: [get, list, watch, create, delete]
{{- end -}}

{{- define "muster.rules.runner-nodes" -}}
# which of them take Pods of a pool, and which are being drained
- apiGroups: ['']
  resources: [nodes]
  verbs: [list, watch]
# what a Pod costs beside its own memory, where pools follow demand
- apiGroups: [node.k8s.io]
  resources: [runtimeclasses]
  verbs: [list, watch]
{{- end -}}

{{- define "muster.rules.dispatch" -}}
# to map job labels to pools
- apiGroups: [tuist.dev]
  resources: [runnerpools]
  verbs: [list, watch]
# to stamp Pods with the account of their job, and to remove orphaned Pods
- apiGroups: ['']
  resources: [pods]
  verbs: [get, list, patch, delete]
# to find the pool of a Pod; removed with an orphaned Pod
- apiGroups: ['']
  resources: [serviceaccounts]
  verbs: [get, delete]
{{- end -}}

{{- define "muster.rules.dispatch-reviews" -}}
# to authenticate Pods and the manager
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
{{- end -}}
