// One process with an etcd and a real kube-apiserver, for tests and for trying Watchgate without a cluster.
//
//	watchgate-test-apiserver serve --dir DIR [--ports SERVER,ETCD,PEERS] [-- KUBE-APISERVER-FLAGS...]
//	watchgate-test-apiserver try [--dir DIR]
//
// serve creates its files in DIR (keys, tokens, kubeconfig, data), or uses those of an earlier run, with the same ports. A new folder gets the
// ports of --ports, or free ones; if another program has one of them, it gets free ones. Once the server answers it prints one line of JSON.
// Then it takes commands, one a line, on stdin and answers each with one line of JSON:
//
//	compact    forget etcd's history up to now
//
// It ends with its stdin, so that it never outlives a killed test; on SIGTERM the apiserver shuts down in its own way.
//
// try does the same with a few pods that change all the time, and ends on SIGINT or SIGTERM at once.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// startsVariable has the number of starts before this one, of the same process.
const startsVariable = "WATCHGATE_TEST_APISERVER_STARTS"

const maxStarts = 10

func main() {
	err := fmt.Errorf("expected a command: serve or try")
	if len(os.Args) > 1 {
		flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
		dir := flags.String("dir", "", "folder of keys, kubeconfig and data")
		switch os.Args[1] {
		case "serve":
			wanted := &ports{}
			text := flags.String("ports", "", "ports of a new folder: server, clients of etcd, peers of etcd")
			_ = flags.Parse(os.Args[2:])
			if *text == "" || startsBefore() > 0 {
				wanted = nil
			} else if _, err = fmt.Sscanf(*text, "%d,%d,%d", &wanted.Secure, &wanted.EtcdClient, &wanted.EtcdPeer); err != nil {
				err = fmt.Errorf("--ports %s: expected three numbers, as in 26001,26002,26003", *text)
				break
			}
			err = serve(*dir, wanted, flags.Args())
		case "try":
			_ = flags.Parse(os.Args[2:])
			err = try(*dir)
		}
	}
	if errors.As(err, &portTaken{}) && startsBefore()+1 < maxStarts {
		fmt.Fprintf(os.Stderr, "watchgate-test-apiserver: %v; starting again on other ports\n", err)
		err = startAgain()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "watchgate-test-apiserver:", err)
		os.Exit(1)
	}
}

// startAgain replaces the program of this process by a new start. Etcd and kube-apiserver take no open listener, and kube-apiserver
// cannot be started twice in one process. The parent process notices nothing: pid, input and output are the same.
func startAgain() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Setenv(startsVariable, strconv.Itoa(startsBefore()+1)); err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, os.Environ())
}

func startsBefore() int {
	starts, _ := strconv.Atoi(os.Getenv(startsVariable))
	return starts
}
