// A complete client of Watchgate: keeps the objects that match, and prints their changes, one JSON value a line.
//
//	go generate
//	go run . pods -server 127.0.0.1:7443 -l app=web
//
// With -position-file it resumes where it ended when it is started again.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode/utf16"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	pb "watchgate.io/examples/go/watchgatev1"
)

//go:generate go run -C ../../e2e/tools ./stubs ../../proto/src/main/protobuf watchgate/v1/watch.proto ../../examples/go/watchgatev1

func main() {
	flags := flag.NewFlagSet("RESOURCE", flag.ExitOnError)
	var servers []string
	flags.Func("server", "`HOST:PORT`; one for each replica; default: 127.0.0.1:7443", func(server string) error {
		servers = append(servers, server)
		return nil
	})
	positionFile := flags.String("position-file", "", "`FILE` in which to keep the position")
	ca := flags.String("tls-ca", "", "TLS, by the CAs in this PEM `FILE`; default: plaintext")
	name := flags.String("tls-server-name", "", "`NAME` that the certificate must have; default: the host")
	bearer := flags.String("bearer-token-file", "", "send the token in this `FILE`; read for each stream")
	firstAnswer := flags.Float64("first-answer-timeout", 300,
		"for how many `SECONDS` to try where a proxy or another server answers, and no gateway ever did")
	watches := flags.Int("watches", 1, "watch again after STOP, until that `NUMBER` have ended")
	selection := &pb.Selection{ResourceType: &pb.ResourceType{}}
	flags.StringVar(&selection.LabelSelector, "l", "", "label `SELECTOR`: app in (web,api)")
	flags.StringVar(&selection.FieldSelector, "field-selector", "", "field `SELECTOR`: spec.nodeName=node-7")
	flags.Func("n", "`NAMESPACE`; may be repeated; default: all", func(name string) error {
		selection.Namespaces = append(selection.Namespaces, name)
		return nil
	})
	flags.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: watch RESOURCE [flags]; RESOURCE is a plural, kind or short name: pods")
		flags.PrintDefaults()
	}
	if len(os.Args) > 1 {
		selection.ResourceType.Resource = os.Args[1]
		_ = flags.Parse(os.Args[2:])
	}
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") || flags.NArg() > 0 {
		flags.Usage()
		os.Exit(2)
	}
	if len(servers) == 0 {
		servers = []string{"127.0.0.1:7443"}
	}
	for range *watches {
		watch := &Watch{Selection: selection, Objects: map[Key]*pb.WatchEvent{}}
		watch.FirstAnswerTimeout = time.Duration(*firstAnswer * float64(time.Second))
		if *bearer != "" {
			watch.BearerToken = func() (string, error) { return readToken(*bearer) }
		}
		transport, err := transport(*ca, *name)
		if err == nil {
			err = run(servers, *positionFile, transport, watch)
		}
		if err == nil { // ended by a signal
			return
		}
		fmt.Fprintln(os.Stderr, "watch:", err)
	}
	os.Exit(1)
}

func transport(ca, serverName string) (credentials.TransportCredentials, error) {
	if ca == "" {
		return insecure.NewCredentials(), nil
	}
	return credentials.NewClientTLSFromFile(ca, serverName)
}

// readToken refuses an empty file: one that is being replaced.
func readToken(file string) (string, error) {
	text, err := os.ReadFile(file)
	token := strings.TrimSpace(string(text))
	if err == nil && token == "" {
		err = fmt.Errorf("%s holds no token", file)
	}
	return token, err
}

func run(servers []string, positionFile string, transport credentials.TransportCredentials, watch *Watch) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	pace := backoff.DefaultConfig
	pace.MaxDelay = 5 * time.Second
	for _, server := range servers {
		connection, err := grpc.NewClient(server,
			grpc.WithTransportCredentials(transport),
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
			// Run waits by itself, and resumes at the right position.
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: pace}),
			grpc.WithDisableRetry(),
		)
		if err != nil {
			return err
		}
		defer connection.Close()
		watch.Clients = append(watch.Clients, pb.NewWatchServiceClient(connection))
	}
	watch.Changed = func(what string, event *pb.WatchEvent) {
		show(what, event.Key.GetNamespace()+"/"+event.Key.GetName(), json.RawMessage(cmp.Or(string(event.GetObject()), "null")))
	}
	watch.Reached = func(what string) { show(what, nil, map[string]int{"objects": len(watch.Objects)}) }
	watch.Failed = func(failure Failure) { show("ERROR", nil, failure) }
	if positionFile == "" {
		return watch.Run(ctx)
	}
	var err error
	if watch.Token, err = os.ReadFile(positionFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = watch.Run(ctx)
	return errors.Join(err, os.WriteFile(positionFile, watch.Token, 0o600))
}

// show prints one line of plain characters: text of other users must not control the terminal.
func show(what string, key, value any) {
	// It cannot fail: objects are JSON as the apiserver wrote it.
	line, _ := json.Marshal(struct {
		What  string `json:"what"`
		Key   any    `json:"key"`
		Value any    `json:"value"`
	}{what, key, value})
	var plain strings.Builder
	for _, unit := range utf16.Encode([]rune(string(line))) {
		if unit >= ' ' && unit <= '~' {
			plain.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&plain, "\\u%04x", unit)
		}
	}
	fmt.Println(plain.String())
}
