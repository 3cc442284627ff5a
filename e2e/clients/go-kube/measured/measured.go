// Package measured counts the events of a client for a benchmark. MeasuredProcess.java has the lines that a program exchanges with it.
package measured

import (
	"bufio"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// Events is the number of events that a client has told of.
type Events struct {
	count atomic.Int64
	pods  int64
	all   chan struct{} // closed after as many events as there are pods
}

// NewEvents returns none.
func NewEvents(pods int) *Events { return &Events{pods: int64(pods), all: make(chan struct{})} }

// Add counts one event.
func (e *Events) Add() {
	if e.count.Add(1) == e.pods {
		close(e.all)
	}
}

// Serve waits until the client has told of all pods and is synced, says so, and answers until stdin ends.
func (e *Events) Serve(isSynced func() bool) error {
	<-e.all
	for !isSynced() {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("synced")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Println(lines.Text(), e.count.Load())
	}
	return lines.Err()
}
