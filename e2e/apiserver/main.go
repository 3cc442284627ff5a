// One process with an etcd and a real kube-apiserver, for tests and for trying Watchgate without a cluster.
//
//	watchgate-test-apiserver serve --dir DIR [-- KUBE-APISERVER-FLAGS...]
//	watchgate-test-apiserver try [--dir DIR]
//
// serve creates its files in DIR (keys, tokens, kubeconfig, data), or uses those of an earlier run, with the same ports. Once
// the server answers it prints one line of JSON. Then it takes commands, one a line, on stdin and answers each with one line of JSON:
//
//	compact    forget etcd's history up to now
//
// It ends with its stdin, so that it never outlives a killed test; on SIGTERM the apiserver shuts down in its own way.
//
// try does the same with a few pods that change all the time, and ends on SIGINT or SIGTERM at once.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	err := fmt.Errorf("expected a command: serve or try")
	if len(os.Args) > 1 {
		flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
		dir := flags.String("dir", "", "folder of keys, kubeconfig and data")
		switch os.Args[1] {
		case "serve":
			_ = flags.Parse(os.Args[2:])
			err = serve(*dir, flags.Args())
		case "try":
			_ = flags.Parse(os.Args[2:])
			err = try(*dir)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "watchgate-test-apiserver:", err)
		os.Exit(1)
	}
}
