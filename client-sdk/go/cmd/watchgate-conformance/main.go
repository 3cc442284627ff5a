// The program of the conformance suite: watchgate conform -- watchgate-conformance.
//
// It keeps the objects that match, and prints their changes, one JSON value a line. With -position-file it resumes where it ended.
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

	watchgate "watchgate.io/client"
)

func main() {
	flags := flag.NewFlagSet("RESOURCE", flag.ExitOnError)
	selection := watchgate.Selection{}
	var servers []string
	flags.Func("server", "`HOST:PORT`; one for each replica", appendTo(&servers))
	flags.Func("n", "`NAMESPACE`; may be repeated; default: all", appendTo(&selection.Namespaces))
	flags.StringVar(&selection.Labels, "l", "", "label `SELECTOR`")
	flags.StringVar(&selection.Fields, "field-selector", "", "field `SELECTOR`")
	positionFile := flags.String("position-file", "", "`FILE` in which to keep the position")
	ca := flags.String("tls-ca", "", "TLS, by the authorities in this PEM `FILE`; default: plaintext")
	certificate := flags.String("tls-client-cert", "", "show the certificate in this PEM `FILE`")
	key := flags.String("tls-client-key", "", "`FILE` with its private key")
	name := flags.String("tls-server-name", "", "`NAME` that the certificate must have; default: the host")
	bearer := flags.String("bearer-token-file", "", "send the token in this `FILE`")
	firstAnswer := flags.Float64("first-answer-timeout", 300, "`SECONDS` to retry while only other servers answer")
	watches := flags.Int("watches", 1, "`NUMBER` of watches, one after the other: each but the last ends with an error")
	flags.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: watchgate-conformance RESOURCE [flags]")
		flags.PrintDefaults()
	}
	if len(os.Args) > 1 {
		selection.Resource = os.Args[1]
		_ = flags.Parse(os.Args[2:])
	}
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") || flags.NArg() > 0 {
		flags.Usage()
		os.Exit(2)
	}
	options := []watchgate.Option{watchgate.WithFirstAnswerTimeout(time.Duration(*firstAnswer * float64(time.Second)))}
	if *ca != "" {
		options = append(options, watchgate.WithCAFile(*ca))
	}
	if *certificate != "" {
		options = append(options, watchgate.WithClientCertificate(*certificate, *key))
	}
	if *name != "" {
		options = append(options, watchgate.WithServerName(*name))
	}
	if *bearer != "" {
		options = append(options, watchgate.WithTokenFile(*bearer))
	}
	for range *watches {
		err := run(servers, options, selection, *positionFile)
		if err == nil { // ended by a signal
			return
		}
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

func appendTo(list *[]string) func(string) error {
	return func(value string) error {
		*list = append(*list, value)
		return nil
	}
}

func run(servers []string, options []watchgate.Option, selection watchgate.Selection, positionFile string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := watchgate.NewClient(servers, options...)
	if err != nil {
		return err
	}
	defer client.Close()
	if positionFile == "" {
		_, err := watch(ctx, client, selection, nil)
		return err
	}
	token, err := os.ReadFile(positionFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	token, err = watch(ctx, client, selection, token)
	return errors.Join(err, os.WriteFile(positionFile, token, 0o600))
}

// watch prints what happens, and returns the last token.
func watch(ctx context.Context, client *watchgate.Client, selection watchgate.Selection, token []byte) ([]byte, error) {
	state := watchgate.NewState(watchgate.Raw)
	for event, err := range client.Watch(ctx, selection, watchgate.ResumeFrom(token)) {
		if err != nil {
			showError(err)
			return token, err
		}
		differences, err := state.Apply(event)
		if err != nil {
			return token, err
		}
		for _, difference := range differences {
			show(difference.Type.String(), difference.Key.String(), cmp.Or(string(difference.New), "null"))
		}
		if reached := state.Position().Token; len(reached) > 0 {
			token = reached
		}
		switch event := event.(type) {
		case watchgate.SnapshotComplete:
			show("SYNCED", "", "null")
		case watchgate.Resumed:
			show("RESUMED", "", "null")
		case watchgate.Interrupted:
			showError(event.Cause)
		}
	}
	return token, nil
}

func showError(err error) {
	value := map[string]string{"action": "RESUME", "message": err.Error()}
	var failure *watchgate.StatusError
	var silence *watchgate.SilenceError
	switch {
	case errors.As(err, &failure):
		value["status"], value["reason"] = failure.Status(), failure.Reason
		value["message"], value["action"] = failure.Message, failure.Action.String()
	case errors.As(err, &silence):
		value["status"] = "DEADLINE_EXCEEDED"
	default: // a request to reconnect is no error
		return
	}
	text, _ := json.Marshal(value) // it cannot fail: only strings
	show("ERROR", "", string(text))
}

// show prints one line of plain characters: text of other users must not control the terminal.
func show(what, key, value string) {
	line, _ := json.Marshal(struct {
		What  string          `json:"what"`
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value"`
	}{what, key, json.RawMessage(value)}) // it cannot fail: objects are JSON as the apiserver wrote it
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
