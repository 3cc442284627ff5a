{{/* Name of the objects. */}}
{{- define "watchgate.name" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains "watchgate" .Release.Name -}}
{{- .Release.Name -}}
{{- else -}}
{{- printf "%s-watchgate" .Release.Name -}}
{{- end -}}
{{- end -}}

{{/* Name of the objects that have no namespace. */}}
{{- define "watchgate.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "watchgate.name" .) -}}
{{- end -}}

{{/* Labels that select the pods. */}}
{{- define "watchgate.selector" -}}
app.kubernetes.io/name: watchgate
app.kubernetes.io/instance: {{ include "watchgate.name" . | quote }}
{{- end -}}

{{/* Labels of every object. */}}
{{- define "watchgate.labels" -}}
{{ include "watchgate.selector" . }}
app.kubernetes.io/part-of: watchgate
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" | quote }}
{{- end -}}

{{- define "watchgate.tag" -}}
{{- .Values.image.tag | default (ternary "" .Chart.AppVersion (ne .Values.image.digest "")) -}}
{{- end -}}

{{- define "watchgate.image" -}}
{{- $tag := include "watchgate.tag" . -}}
{{- .Values.image.repository -}}
{{- if $tag }}:{{ $tag }}{{ end -}}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ end -}}
{{- end -}}

{{/* Label with the version, for a tag that names one. */}}
{{- define "watchgate.versionLabel" -}}
{{- $tag := include "watchgate.tag" . -}}
{{- if and (ne $tag "latest") (regexMatch "^[a-zA-Z0-9]([-a-zA-Z0-9_.]{0,61}[a-zA-Z0-9])?$" $tag) -}}
app.kubernetes.io/version: {{ $tag | quote }}
{{- end -}}
{{- end -}}

{{/* "true" if callers are authenticated. YAML reads the mode off as false. */}}
{{- define "watchgate.isAuthenticated" -}}
{{- if not (has (toString .Values.tls.mode) (list "off" "false")) }}true{{ end -}}
{{- end -}}

{{- define "watchgate.insecureText" -}}
{{- with .Values.networkPolicy.clientNamespaces -}}
every pod of {{ join ", " . }} can read all types, if the cluster enforces NetworkPolicies
{{- else -}}
every address that reaches the ports can read all types; networkPolicy.clientNamespaces admits the pods of the named namespaces only
{{- end -}}
{{- end -}}

{{- define "watchgate.maxReplicas" -}}
{{- if .Values.autoscaling.maxReplicas }}{{ int .Values.autoscaling.maxReplicas }}{{ else }}{{ mul 4 (int .Values.replicas) }}{{ end -}}
{{- end -}}

{{- define "watchgate.memoryMib" -}}
{{- $number := regexFind "^[0-9]+" .Values.resources.memory | int -}}
{{- ternary (mul 1024 $number) $number (hasSuffix "Gi" .Values.resources.memory) -}}
{{- end -}}

{{/* Share of the heap. 150 MiB are for classes, code and threads; unread responses take a quarter of the heap beside it. */}}
{{- define "watchgate.heapPercent" -}}
{{- $memory := include "watchgate.memoryMib" . | int -}}
{{- min 70 (div (mul 80 (sub $memory 150)) $memory) -}}
{{- end -}}

{{/* Number of processors that Java counts on: the requested ones, at least 2. */}}
{{- define "watchgate.processors" -}}
{{- $cpu := toString .Values.resources.cpu -}}
{{- $number := regexFind "^[0-9]+" $cpu | int -}}
{{- max 2 (ternary (div (add $number 999) 1000) $number (hasSuffix "m" $cpu)) -}}
{{- end -}}

{{/* JSON list of the types, each with its group, sorted. */}}
{{- define "watchgate.types" -}}
{{- $builtIn := .Files.Lines "files/built-in-types.txt" -}}
{{- $types := list -}}
{{- range $type := .Values.types -}}
{{- $completed := $type -}}
{{- if not (contains "." $type) -}}
{{- range $line := reverse $builtIn -}}
{{- $name := regexFind "^[^ ]+" $line -}}
{{- if eq (regexFind "^[^.]+" $name) $type -}}
{{- $completed = $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $types = append $types $completed -}}
{{- end -}}
{{- $types | uniq | sortAlpha | toJson -}}
{{- end -}}

{{/* Rules with the right to list and watch the types of a list. */}}
{{- define "watchgate.typeRules" -}}
{{- $groups := dict -}}
{{- range $type := . -}}
{{- $plural := regexFind "^[^.]+" $type -}}
{{- $group := trimPrefix "." (trimPrefix $plural $type) -}}
{{- $_ := set $groups $group (append (get $groups $group | default list) $plural) -}}
{{- end -}}
{{- range $group := keys $groups | sortAlpha }}
- apiGroups: [{{ $group | quote }}]
  resources: {{ get $groups $group | toJson }}
  verbs: [list, watch]
{{- end -}}
{{- end -}}

{{/* Security context of the pods: a user without rights. */}}
{{- define "watchgate.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "watchgate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{- define "watchgate.dnsNames" -}}
{{- $name := include "watchgate.name" . -}}
{{- range $service := list $name (printf "%s-replicas" $name) }}
- {{ $service }}.{{ $.Release.Namespace }}.svc
- {{ $service }}.{{ $.Release.Namespace }}.svc.cluster.local
{{- end -}}
{{- end -}}
