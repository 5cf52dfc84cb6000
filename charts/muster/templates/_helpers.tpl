{{/* Names are cut at 53 letters, so that names with suffixes are still valid in Kubernetes. */}}
{{- define "muster.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 53 | trimSuffix "-" -}}
{{- end -}}

{{/* Release and chart, or the release if its name contains that of the chart. */}}
{{- define "muster.fullname" -}}
{{- $name := include "muster.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "muster.managerName" -}}
{{- printf "%s-manager" (include "muster.fullname" .) -}}
{{- end -}}

{{/* The selector of a Deployment is immutable. */}}
{{- define "muster.selectorLabels" -}}
app.kubernetes.io/name: {{ include "muster.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: manager
{{- end -}}

{{- define "muster.labels" -}}
{{ include "muster.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/*
Name servers and these ports, at any address: the chart does not know the addresses of API server, database and GitHub.
The metadata service of a Node, which issues its credentials, uses port 80.
*/}}
{{- define "muster.egress" -}}
- ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
    {{- range uniq (toStrings .) }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end -}}

{{/* A separate namespace: the release namespace also has the key of the GitHub App and the database URL. */}}
{{- define "muster.secretsNamespace" -}}
{{- default (printf "%s-host-secrets" .Release.Namespace | trunc 63 | trimSuffix "-") .Values.manager.secretsNamespace -}}
{{- end -}}

{{- define "muster.fleetSpreadNamespace" -}}
{{- default .Release.Namespace .Values.manager.fleetSpread.namespace -}}
{{- end -}}

{{/* Nonempty for owned hosts. Fails when a required value is missing. */}}
{{- define "muster.isStatic" -}}
{{- if eq .Values.provider "static" -}}
{{- with .Values.static -}}
{{- if not (and .hosts .zones .wipeCommand) -}}
{{- fail "provider static needs static.hosts, static.zones and static.wipeCommand" -}}
{{- end -}}
{{- end -}}
true
{{- end -}}
{{- end -}}

{{/* Each zone once, sorted. */}}
{{- define "muster.zones" -}}
{{- if include "muster.isStatic" . -}}
{{- .Values.static.zones | uniq | sortAlpha | join "," -}}
{{- else -}}
{{- $fleets := concat (list .Values.macosFleet .Values.runnersFleet .Values.buildersFleet) .Values.fleets -}}
{{- $zones := list -}}
{{- range $fleets -}}{{- $zones = append $zones .machine.zone -}}{{- end -}}
{{- $zones | uniq | sortAlpha | join "," -}}
{{- end -}}
{{- end -}}

{{/* The enabled fleets as a JSON list; the three named fleets come first. */}}
{{- define "muster.fleets" -}}
{{- $macos := merge (dict "key" "macos") .Values.macosFleet -}}
{{- $runners := merge (dict "key" "runners" "replicas" .Values.runnersFleet.hostCount) .Values.runnersFleet -}}
{{- $builders := merge (dict "key" "builders") .Values.buildersFleet -}}
{{- $wanted := list -}}
{{- if .Values.capi.enabled -}}
{{- range list $macos $runners $builders -}}{{- if .enabled -}}{{- $wanted = append $wanted . -}}{{- end -}}{{- end -}}
{{- $wanted = concat $wanted .Values.fleets -}}
{{- end -}}
{{- $keys := list "macos" "runners" "builders" -}}
{{- range .Values.fleets -}}
{{- if has .key $keys -}}{{- fail (printf "fleets: the key %s is taken by another fleet" .key) -}}{{- end -}}
{{- $keys = append $keys .key -}}
{{- end -}}
{{- $names := list -}}
{{- range $wanted -}}
{{- $name := default (include "muster.fleetObject" (dict "root" $ "fleet" .)) .name -}}
{{- if has $name $names -}}{{- fail (printf "two fleets are called %s: each would take the machines of the other for its own" $name) -}}{{- end -}}
{{- $names = append $names $name -}}
{{- end -}}
{{- $wanted | toJson -}}
{{- end -}}

{{/* Cluster API makes labels of the names of a MachineDeployment and of a Cluster. */}}
{{- define "muster.clusterName" -}}
{{- printf "%s-capi" (include "muster.fullname" .) -}}
{{- end -}}

{{- define "muster.bootstrapName" -}}
{{- printf "%s-noop-bootstrap" (include "muster.fullname" .) -}}
{{- end -}}

{{/* Given the root and a fleet. */}}
{{- define "muster.fleetObject" -}}
{{- $name := printf "%s-%s-fleet" (include "muster.fullname" .root) .fleet.key -}}
{{- if gt (len $name) 59 -}}
{{- fail (printf "%s is too long by %d letters for the name of a fleet: shorten fullnameOverride" $name (sub (len $name) 59)) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/* The machine of a fleet as JSON with sorted keys, whose digest names the template. */}}
{{- define "muster.fleetMachine" -}}
{{- $fallback := .root.Values.macosFleet.adoptPoolPrefix -}}
{{- $prefix := default $fallback .fleet.adoptPoolPrefix -}}
{{- if not $prefix -}}
{{- fail (printf "the fleet %s needs adoptPoolPrefix, or macosFleet.adoptPoolPrefix: what names of free hosts begin with" .fleet.key) -}}
{{- end -}}
{{- $name := default (include "muster.fleetObject" .) .fleet.name -}}
{{- $machine := merge (dict "fleetName" $name "adoptPoolPrefix" $prefix) .fleet.machine -}}
{{- with .fleet.ghActionsRunner -}}{{- $machine = merge (dict "ghActionsRunner" .) $machine -}}{{- end -}}
{{- $machine | toJson -}}
{{- end -}}

{{/* TYPE=EUR,… with the keys in order, as helm ranges over maps. */}}
{{- define "muster.prices" -}}
{{- $prices := list -}}
{{- range $type, $euros := . -}}{{- $prices = append $prices (printf "%s=%v" $type $euros) -}}{{- end -}}
{{- $prices | join "," -}}
{{- end -}}

{{/* The subject of all roles of the manager. */}}
{{- define "muster.subjects" -}}
subjects:
  - kind: ServiceAccount
    name: {{ include "muster.managerName" . }}
    namespace: {{ .Release.Namespace | quote }}
{{- end -}}

{{- define "muster.dispatchName" -}}
{{- printf "%s-dispatch" (include "muster.fullname" .) -}}
{{- end -}}

{{- define "muster.dispatchSelector" -}}
app.kubernetes.io/name: {{ include "muster.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: dispatch
{{- end -}}

{{- define "muster.dispatchLabels" -}}
{{ include "muster.dispatchSelector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "muster.dispatchSubjects" -}}
subjects:
  - kind: ServiceAccount
    name: {{ include "muster.dispatchName" . }}
    namespace: {{ .Release.Namespace | quote }}
{{- end -}}

{{/* The URL of dispatch inside the cluster. */}}
{{- define "muster.dispatchUrl" -}}
{{- printf "http://%s.%s.svc" (include "muster.dispatchName" .) .Release.Namespace -}}
{{- end -}}

{{/* The name prefix of pools. Dispatch finds the pools of profiles by this prefix. */}}
{{- define "muster.linuxPoolPrefix" -}}
{{- printf "%s-linux" (include "muster.fullname" .) -}}
{{- end -}}

{{- define "muster.macosPoolPrefix" -}}
{{- printf "%s-macos" (include "muster.fullname" .) -}}
{{- end -}}

{{- define "muster.linuxSize" -}}
{{- printf "%dvcpu-%dgb" (int .vcpus) (int .memoryGb) -}}
{{- end -}}

{{/* The sizes on Linux with the default first, or nothing where no shape is the default. */}}
{{- define "muster.linuxCatalogue" -}}
{{- $first := list -}}
{{- $rest := list -}}
{{- range .Values.runners.linux.shapes -}}
{{- if .default -}}{{- $first = append $first (include "muster.linuxSize" .) -}}
{{- else -}}{{- $rest = append $rest (include "muster.linuxSize" .) -}}{{- end -}}
{{- end -}}
{{- if gt (len $first) 1 -}}{{- fail (printf "runners.linux.shapes has more than one default: %s" (join ", " $first)) -}}{{- end -}}
{{- if $first -}}{{- concat $first $rest | join "," -}}{{- end -}}
{{- end -}}

{{/* All RunnerPools as a JSON list: one for each shape on Linux and each Xcode on Macs, and the pools in full. */}}
{{- define "muster.runnerPools" -}}
{{- $pools := list -}}
{{- $linux := .Values.runners.linux -}}
{{- range $linux.shapes -}}
{{- if not $linux.image -}}{{- fail "runners.linux.shapes needs runners.linux.image: what their Pods start from" -}}{{- end -}}
{{- $size := include "muster.linuxSize" . -}}
{{- $spec := dict "os" "linux" "image" $linux.image "fleetSelector" $linux.nodePool "dispatchLabel" (printf "%s-%s" $linux.labelPrefix $size) "runnerLabels" (list "self-hosted" "Linux" "X64") "podCPUMilli" (mul 1000 (int .vcpus)) "podMemoryMB" (mul 1024 (int .memoryGb)) "replicas" (int (default 0 .replicas)) -}}
{{- with $linux.runtimeClass -}}{{- $spec = merge $spec (dict "runtimeClass" .) -}}{{- end -}}
{{- $autoscaling := merge (deepCopy (default dict .autoscaling)) $linux.autoscaling -}}
{{- with $autoscaling -}}{{- $spec = merge $spec (dict "autoscaling" .) -}}{{- end -}}
{{- $pools = append $pools (dict "name" (printf "%s-%s" (include "muster.linuxPoolPrefix" $) $size) "spec" $spec) -}}
{{- end -}}
{{- $macos := .Values.runners.macos -}}
{{- range $macos.xcodes -}}
{{- $version := replace "." "-" .version -}}
{{- $spec := dict "os" "darwin" "image" .image "fleetSelector" (default (include "muster.runnersFleetName" $) $macos.fleet) "dispatchLabel" (printf "%s-%s" $macos.labelPrefix $version) "runnerLabels" (list "self-hosted" "macOS" "ARM64") "replicas" (int (default 0 .replicas)) -}}
{{- $autoscaling := merge (deepCopy (default dict .autoscaling)) $macos.autoscaling -}}
{{- with $autoscaling -}}{{- $spec = merge $spec (dict "autoscaling" .) -}}{{- end -}}
{{- $pools = append $pools (dict "name" (printf "%s-%s" (include "muster.macosPoolPrefix" $) $version) "spec" $spec) -}}
{{- end -}}
{{- $pools = concat $pools .Values.runners.pools -}}
{{- $names := list -}}
{{- range $pools -}}
{{- if has .name $names -}}{{- fail (printf "two runner pools are called %s" .name) -}}{{- end -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- $labels := list -}}
{{- range $pools -}}
{{- if has .spec.dispatchLabel $labels -}}{{- fail (printf "two runner pools take jobs with the label %s: no job could choose" .spec.dispatchLabel) -}}{{- end -}}
{{- $labels = append $labels .spec.dispatchLabel -}}
{{- end -}}
{{- $pools | toJson -}}
{{- end -}}

{{- define "muster.runnersFleetName" -}}
{{- default (printf "%s-runners-fleet" (include "muster.fullname" .)) .Values.runnersFleet.name -}}
{{- end -}}

{{/* A digest identifies one image; a tag may move. */}}
{{- define "muster.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}
