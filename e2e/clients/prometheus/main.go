// The Kubernetes discovery of Prometheus, for pods of a namespace, which prints its target groups:
// one line of JSON for each group that it sends.
//
//	prometheus --kubeconfig FILE --namespace NAMESPACE
//
// It ends on SIGTERM or SIGINT. Logs go to stderr.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/discovery"
	"github.com/prometheus/prometheus/discovery/kubernetes"
	"github.com/prometheus/prometheus/discovery/targetgroup"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "`FILE`")
	namespace := flag.String("namespace", "", "`NAMESPACE`")
	flag.Parse()
	if err := run(*kubeconfig, *namespace); err != nil {
		fmt.Fprintln(os.Stderr, "prometheus:", err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace string) error {
	config := kubernetes.SDConfig{
		Role:               kubernetes.RolePod,
		KubeConfig:         kubeconfig,
		NamespaceDiscovery: kubernetes.NamespaceDiscovery{Names: []string{namespace}},
	}
	registry := prometheus.NewRegistry()
	refresh := discovery.NewRefreshMetrics(registry)
	metrics := config.NewDiscovererMetrics(registry, refresh)
	if err := metrics.Register(); err != nil {
		return err
	}
	discoverer, err := config.NewDiscoverer(discovery.DiscovererOptions{
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Metrics: metrics,
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	groups := make(chan []*targetgroup.Group)
	go discoverer.Run(ctx, groups)
	for {
		select {
		case <-ctx.Done():
			return nil
		case some := <-groups:
			for _, group := range some {
				line := map[string]any{"source": group.Source, "labels": group.Labels, "targets": group.Targets}
				if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
					return err
				}
			}
		}
	}
}
