// One process with an etcd and a real kube-apiserver, for tests and for trying Watchgate without a cluster.
//
//	watchgate-test-apiserver --etcd-dir DIR --etcd-client-url URL --etcd-peer-url URL -- KUBE-APISERVER-FLAGS...
//
// The apiserver flag --etcd-servers is added here. On SIGTERM the apiserver ends by its own rules, then etcd is closed.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	dir := flag.String("etcd-dir", "", "folder of etcd's data (required)")
	client := flag.String("etcd-client-url", "", "URL that etcd serves clients on (required)")
	peer := flag.String("etcd-peer-url", "", "URL that etcd serves peers on (required)")
	flag.Parse()
	if err := run(*dir, *client, *peer, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "watchgate-test-apiserver:", err)
		os.Exit(1)
	}
}

func run(dir, client, peer string, args []string) error {
	clientURL, err := url.Parse(client)
	if err != nil || client == "" || dir == "" || peer == "" {
		return fmt.Errorf("--etcd-dir, --etcd-client-url and --etcd-peer-url are required: %v", err)
	}
	peerURL, err := url.Parse(peer)
	if err != nil {
		return err
	}
	cfg := embed.NewConfig()
	cfg.Dir = dir
	cfg.LogLevel = "error"
	cfg.ListenClientUrls = []url.URL{*clientURL}
	cfg.AdvertiseClientUrls = []url.URL{*clientURL}
	cfg.ListenPeerUrls = []url.URL{*peerURL}
	cfg.AdvertisePeerUrls = []url.URL{*peerURL}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	// Test data may go with the machine: not waiting for the disk makes writes several times faster.
	cfg.UnsafeNoFsync = true
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return fmt.Errorf("start etcd: %w", err)
	}
	defer etcd.Close()
	select {
	case <-etcd.Server.ReadyNotify():
	case <-time.After(60 * time.Second):
		return fmt.Errorf("etcd in %s is not ready after 60 s", dir)
	}
	cmd := app.NewAPIServerCommand()
	cmd.SetArgs(append([]string{"--etcd-servers=" + client}, args...))
	return cmd.ExecuteContext(genericapiserver.SetupSignalContext())
}
