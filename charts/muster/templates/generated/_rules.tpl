{{/* Generated from src/manager/kube-rights.ts; do not edit. To change it run: npm run generate */}}
{{- define "muster.rules.fleet" -}}
# one for each server; created, claimed, released, and deleted when the server is gone
- apiGroups: [muster.dev]
  resources: [machosts]
  verbs: [get, list, watch, create, patch, delete]
# the observed server, and the state of the host
- apiGroups: [muster.dev]
  resources: [machosts/status]
  verbs: [patch]
# the annotation with its host, its finalizer, its provider id; all are listed before a host is reclaimed
- apiGroups: [infrastructure.cluster.x-k8s.io]
  resources: [scalewayapplesiliconmachines]
  verbs: [get, list, watch, patch]
# its host, addresses, conditions
- apiGroups: [infrastructure.cluster.x-k8s.io]
  resources: [scalewayapplesiliconmachines/status]
  verbs: [patch]
# the readiness that Cluster API waits for, although nothing is built
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
# whether the Cluster that owns a machine is paused or not ready yet
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
# an Event is created in the namespace of its machine, and in `default` for a host
- apiGroups: ['']
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{- define "muster.rules.lease" -}}
# one Lease for leader election; a role cannot name an object that does not exist yet
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
# credentials of hosts and keys of fleets; read before a write, deleted with the machine, and never listed
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
# names of hosts, and started wipes
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
# their finalizer and replicas; read again before either is written
- apiGroups: [tuist.dev]
  resources: [runnerpools]
  verbs: [get, list, watch, patch]
# the observed Pods
- apiGroups: [tuist.dev]
  resources: [runnerpools/status]
  verbs: [patch]
# one for each job; read again before its removal, labeled when its image is old, and all listed before their pool is deleted
- apiGroups: ['']
  resources: [pods]
  verbs: [get, list, watch, create, patch, delete]
# the last lines of a failed Pod, before its removal
- apiGroups: ['']
  resources: [pods/log]
  verbs: [get]
# one for each Pod, created before the Pod and removed with it
- apiGroups: ['']
  resources: [serviceaccounts]
  verbs: [get, list, watch, create, delete]
{{- end -}}

{{- define "muster.rules.runner-nodes" -}}
# which Nodes take Pods of a pool, and which are being drained
- apiGroups: ['']
  resources: [nodes]
  verbs: [list, watch]
# the memory overhead of a Pod, for pools with autoscaling
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
