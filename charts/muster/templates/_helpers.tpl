{{/* Names are cut at 53 letters, so that what is appended still fits into a name of Kubernetes. */}}
{{- define "muster.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 53 | trimSuffix "-" -}}
{{- end -}}

{{/* Release and chart, unless the release is called like the chart already. */}}
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

{{/* A Deployment may never change these. */}}
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

{{- define "muster.secretsNamespace" -}}
{{- default .Release.Namespace .Values.manager.secretsNamespace -}}
{{- end -}}

{{- define "muster.fleetSpreadNamespace" -}}
{{- default (include "muster.secretsNamespace" .) .Values.manager.fleetSpread.namespace -}}
{{- end -}}

{{/* Each zone once, in an order that does not depend on which fleet comes first. */}}
{{- define "muster.zones" -}}
{{- $fleets := list .Values.macosFleet .Values.runnersFleet .Values.buildersFleet -}}
{{- $zones := list -}}
{{- range $fleets -}}{{- $zones = append $zones .machine.zone -}}{{- end -}}
{{- $zones | uniq | sortAlpha | join "," -}}
{{- end -}}

{{/* TYPE=EUR,… with the keys in order, as helm ranges over maps. */}}
{{- define "muster.prices" -}}
{{- $prices := list -}}
{{- range $type, $euros := . -}}{{- $prices = append $prices (printf "%s=%v" $type $euros) -}}{{- end -}}
{{- $prices | join "," -}}
{{- end -}}

{{/* Who is bound by every role below. */}}
{{- define "muster.subjects" -}}
subjects:
  - kind: ServiceAccount
    name: {{ include "muster.managerName" . }}
    namespace: {{ .Release.Namespace | quote }}
{{- end -}}
