package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

const startLimit = 3 * time.Minute

// inputEnded is the exit code of a server whose stdin has ended; it differs from that of SIGTERM, after which the server answers its open
// requests first.
const inputEnded = 3

func serve(dir string, wanted *ports, flags []string) error {
	p, err := openServerFolder(dir, wanted)
	if err != nil {
		return err
	}
	etcd, err := startEtcd(p)
	if err != nil {
		return p.startError(err)
	}
	defer etcd.Close()
	// From the start: a test that is killed before the server is ready leaves nothing behind either.
	go obey(etcd)
	go func() {
		if _, err := waitUntilReady(p); err != nil {
			fmt.Fprintln(os.Stderr, "watchgate-test-apiserver:", err)
			os.Exit(1)
		}
		answer(map[string]any{"server": p.server(), "kubeconfig": p.file("kubeconfig")})
	}()
	return p.startError(runApiserver(p, flags))
}

// obey takes commands until stdin ends; then no process is left that could stop this one or that needs its data.
func obey(etcd *embed.Etcd) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch command := strings.TrimSpace(lines.Text()); command {
		case "compact":
			revision := etcd.Server.KV().Rev()
			// Real ones compact revisions that are minutes old. An apiserver that is just about to send a deletion ends its
			// watches if etcd has compacted the deleted object.
			time.Sleep(300 * time.Millisecond)
			_, err := etcd.Server.Compact(context.Background(),
				&etcdserverpb.CompactionRequest{Revision: revision, Physical: true})
			if err != nil {
				answer(map[string]any{"error": err.Error()})
			} else {
				answer(map[string]any{"compacted": revision})
			}
		default:
			answer(map[string]any{"error": fmt.Sprintf("unknown command %q; there is: compact", command)})
		}
	}
	os.Exit(inputEnded)
}

func answer(line map[string]any) {
	_ = json.NewEncoder(os.Stdout).Encode(line)
}

func startEtcd(p *serverFolder) (*embed.Etcd, error) {
	client := url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", p.Ports.EtcdClient)}
	peer := url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", p.Ports.EtcdPeer)}
	cfg := embed.NewConfig()
	cfg.Dir = p.file("etcd")
	cfg.LogLevel = "error"
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	// Test data may be lost with the machine: not waiting for the disk makes writes several times faster.
	cfg.UnsafeNoFsync = true
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case <-time.After(startLimit):
		return nil, fmt.Errorf("etcd in %s is not ready after %s", cfg.Dir, startLimit)
	}
}

// runApiserver takes SIGTERM and SIGINT for itself.
func runApiserver(p *serverFolder, flags []string) error {
	cmd := app.NewAPIServerCommand()
	cmd.SetArgs(append([]string{
		fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", p.Ports.EtcdClient),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", p.Ports.Secure),
		"--tls-cert-file=" + p.file("server.crt"),
		"--tls-private-key-file=" + p.file("server.key"),
		"--client-ca-file=" + p.file("ca.crt"),
		"--token-auth-file=" + p.file("tokens.csv"),
		"--authorization-mode=RBAC",
		"--service-account-key-file=" + p.file("service-accounts.key"),
		"--service-account-signing-key-file=" + p.file("service-accounts.key"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-cluster-ip-range=10.0.0.0/24",
		// No controller makes the account and token that this plugin would wait for.
		"--disable-admission-plugins=ServiceAccount",
	}, flags...))
	return cmd.Execute()
}

// waitUntilReady returns once /readyz says ok and the namespaces of every cluster exist.
func waitUntilReady(p *serverFolder) (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", p.file("kubeconfig"))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	for {
		_, err = client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		for _, namespace := range []string{"kube-system", "default"} {
			if err == nil {
				_, err = client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
			}
		}
		if err == nil {
			return client, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s is not ready after %s: %w", p.server(), startLimit, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
