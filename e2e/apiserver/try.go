package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const (
	livingPods = 12
	nodes      = 3
	pace       = 700 * time.Millisecond
)

// The first one exists by itself.
var namespaces = []string{"default", "shop", "staging"}

// try serves until a signal comes. Without a folder it makes one, and removes it at the end.
func try(dir string) error {
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt, syscall.SIGTERM)
	temporary := dir == ""
	if temporary {
		made, err := os.MkdirTemp("", "watchgate-try-")
		if err != nil {
			return err
		}
		dir = made
	}
	terminal := os.Stderr
	err := tryIn(dir, end)
	os.Stderr = terminal
	if temporary {
		_ = os.RemoveAll(dir)
	}
	return err
}

func tryIn(dir string, end <-chan os.Signal) error {
	p, err := openServerFolder(dir, nil)
	if err != nil {
		return err
	}
	terminal := os.Stderr
	if os.Stderr, err = os.Create(p.file("log")); err != nil {
		return err
	}
	fmt.Fprintln(terminal, "Starting etcd and kube-apiserver; they log to", p.file("log"))
	// Neither is ended in order: the cluster is thrown away, and a quick end is better.
	if _, err := startEtcd(p); err != nil {
		return p.startError(err)
	}
	failed := make(chan error, 2)
	go func() { failed <- p.startError(runApiserver(p, nil)) }()
	go func() {
		client, err := waitUntilReady(p)
		if err != nil {
			failed <- err
			return
		}
		if err := furnish(context.Background(), client); err != nil {
			failed <- err
			return
		}
		fmt.Println(p.file("kubeconfig"))
		fmt.Fprintf(terminal, "A kube-apiserver with pods that change all the time serves on %s; end it with Ctrl-C.\n"+
			"Its kubeconfig is %s\n", p.server(), p.file("kubeconfig"))
		churn(context.Background(), client)
	}()
	select {
	case <-end:
		return nil
	case err := <-failed:
		return err
	}
}

// furnish creates the objects of a cluster besides pods, unless an earlier run in the same folder did.
func furnish(ctx context.Context, client *kubernetes.Clientset) error {
	for _, name := range namespaces[1:] {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); notMade(err) {
			return fmt.Errorf("create namespace %s: %w", name, err)
		}
	}
	for number := 1; number <= nodes; number++ {
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: nodeName(number)},
			Status: corev1.NodeStatus{
				Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		}
		if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); notMade(err) {
			return fmt.Errorf("create node %s: %w", node.Name, err)
		}
	}
	return nil
}

func notMade(err error) bool { return err != nil && !errors.IsAlreadyExists(err) }

// churn simulates a small shop: pods of web and api are created, get ready, move between the releases stable and canary, and are deleted.
// Users may change the cluster as well, so a change that fails is logged and another one is made.
func churn(ctx context.Context, client *kubernetes.Clientset) {
	for number := 0; ; number++ {
		if err := change(ctx, client, number); err != nil {
			fmt.Fprintln(os.Stderr, "churn:", err)
		}
		time.Sleep(pace)
	}
}

func change(ctx context.Context, client *kubernetes.Clientset, number int) error {
	living, err := client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	action := rand.IntN(10)
	if len(living.Items) < livingPods/2 || len(living.Items) < livingPods && action < 3 {
		_, err = client.CoreV1().Pods(namespaces[rand.IntN(len(namespaces))]).Create(ctx, pod(number), metav1.CreateOptions{})
		return err
	}
	one := living.Items[rand.IntN(len(living.Items))]
	pods := client.CoreV1().Pods(one.Namespace)
	switch {
	case action < 5:
		now := int64(0)
		return pods.Delete(ctx, one.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
	case action < 7:
		release := map[string]string{"stable": "canary", "canary": "stable"}[one.Labels["release"]]
		patch := fmt.Sprintf(`{"metadata":{"labels":{"release":%q}}}`, release)
		_, err = pods.Patch(ctx, one.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	default:
		for _, other := range living.Items {
			if other.Status.Phase == corev1.PodPending {
				one = other
			}
		}
		_, err = client.CoreV1().Pods(one.Namespace).UpdateStatus(ctx, next(&one), metav1.UpdateOptions{})
		return err
	}
}

func nodeName(number int) string { return fmt.Sprintf("node-%d", number) }

func pod(number int) *corev1.Pod {
	app := []string{"web", "api"}[number%2]
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: app + "-",
			Labels:       map[string]string{"app": app, "release": "stable"},
		},
		Spec: corev1.PodSpec{
			NodeName:   nodeName(rand.IntN(nodes) + 1),
			Containers: []corev1.Container{{Name: app, Image: "example/" + app + ":1"}},
		},
	}
}

// next returns the status that a kubelet would report next: Running and ready, later a restart of the container.
func next(one *corev1.Pod) *corev1.Pod {
	started := metav1.Now()
	restarts := int32(0)
	if len(one.Status.ContainerStatuses) > 0 {
		restarts = one.Status.ContainerStatuses[0].RestartCount + 1
	}
	name := one.Spec.Containers[0].Name
	one.Status.Phase = corev1.PodRunning
	one.Status.PodIP = fmt.Sprintf("10.1.0.%d", rand.IntN(250)+2)
	one.Status.PodIPs = []corev1.PodIP{{IP: one.Status.PodIP}}
	one.Status.StartTime = &started
	one.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	one.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: name, Image: one.Spec.Containers[0].Image, Ready: true, RestartCount: restarts,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}},
	}}
	return one
}
