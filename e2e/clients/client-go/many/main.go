// Informers of client-go on the pods of all namespaces, each with connections of its own, as in a
// program each: waits until all have synced, and prints one line of JSON with the seconds until the
// median and the last one had, the bytes that were received with their TLS framing, and the CPU
// seconds of this process.
//
//	many --kubeconfig FILE [--count N] [--content-type application/vnd.kubernetes.protobuf]
//
// The caches keep only the names of the pods, so that many of them fit into the memory.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "`FILE`")
	count := flag.Int("count", 1, "`NUMBER` of informers")
	contentType := flag.String("content-type", runtime.ContentTypeJSON, "media `TYPE` that is preferred")
	flag.Parse()
	if err := run(*kubeconfig, *count, *contentType); err != nil {
		fmt.Fprintln(os.Stderr, "many:", err)
		os.Exit(1)
	}
}

func run(kubeconfig string, count int, contentType string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	config.ContentType = contentType
	if contentType != runtime.ContentTypeJSON {
		config.AcceptContentTypes = contentType + "," + runtime.ContentTypeJSON
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var received atomic.Int64
	seconds := make([]float64, count)
	begun := time.Now()
	var informing sync.WaitGroup
	for i := range count {
		informer, err := newInformer(config, &received)
		if err != nil {
			return err
		}
		go informer.Run(ctx.Done())
		informing.Go(func() {
			if cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
				seconds[i] = time.Since(begun).Seconds()
			}
		})
	}
	informing.Wait()
	if ctx.Err() != nil {
		return fmt.Errorf("ended before all had synced")
	}
	slices.Sort(seconds)
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"median": seconds[count/2], "last": seconds[count-1], "bytes": received.Load(), "cpu": cpuSeconds(),
	})
}

// newInformer returns an informer with connections of its own: clients of one configuration share
// them, and a function that dials makes a configuration another one.
func newInformer(shared *rest.Config, received *atomic.Int64) (cache.SharedIndexInformer, error) {
	config := rest.CopyConfig(shared)
	var dialer net.Dialer
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return countedConn{connection, received}, nil
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	informer := informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
	return informer, informer.SetTransform(nameOnly)
}

func nameOnly(object any) (any, error) {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return object, nil
	}
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion,
	}}, nil
}

type countedConn struct {
	net.Conn
	received *atomic.Int64
}

func (c countedConn) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	c.received.Add(int64(n))
	return n, err
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}
