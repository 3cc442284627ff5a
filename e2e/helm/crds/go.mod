// Definitions of custom resources, which tests of the chart take from the folders of these modules. No package is compiled.
module watchgate.io/e2e/helm/crds

go 1.26.0

require (
	github.com/cert-manager/cert-manager v1.21.2
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
