package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// serverFolder is a folder with all files of one server that outlive its process.
type serverFolder struct {
	dir   string
	Ports ports
	// new is whether the ports were chosen by this process: no client knows them yet.
	new bool
}

type ports struct {
	Secure, EtcdClient, EtcdPeer int
}

// openServerFolder uses the files in dir, or creates them. The ports are chosen once, so that a server started again is found under the same address.
// A new folder gets the wanted ports, or free ones if there are none.
func openServerFolder(dir string, wanted *ports) (*serverFolder, error) {
	if dir == "" {
		return nil, fmt.Errorf("--dir is required")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	p := &serverFolder{dir: dir}
	if saved, err := os.ReadFile(p.file("ports.json")); err == nil {
		if err := json.Unmarshal(saved, &p.Ports); err != nil {
			return nil, fmt.Errorf("%s: %w; remove the folder to start again", p.file("ports.json"), err)
		}
		return p, nil
	}
	p.new = true
	if wanted != nil {
		p.Ports = *wanted
	} else if p.Ports, err = freePorts(); err != nil {
		return nil, err
	}
	// The data of a start that failed has the ports of that start.
	if err := os.RemoveAll(p.file("etcd")); err != nil {
		return nil, err
	}
	if err := writeCredentials(p); err != nil {
		return nil, err
	}
	// Last: a folder without it is incomplete, and made again.
	text, err := json.Marshal(p.Ports)
	if err != nil {
		return nil, err
	}
	return p, os.WriteFile(p.file("ports.json"), text, 0o600)
}

func (p *serverFolder) file(name string) string { return filepath.Join(p.dir, name) }

// startError returns the error of a start. If a port of a new folder belongs to another program by now, the folder is incomplete again, and the
// error is a portTaken.
func (p *serverFolder) startError(err error) error {
	// The errors of servers have no cause to unwrap.
	if err == nil || !p.new || !strings.Contains(err.Error(), syscall.EADDRINUSE.Error()) {
		return err
	}
	if removed := os.Remove(p.file("ports.json")); removed != nil {
		return errors.Join(err, removed)
	}
	return portTaken{err}
}

// portTaken is the error of a start with ports that nothing depends on: another start may choose other ones.
type portTaken struct{ error }

func (p *serverFolder) server() string { return fmt.Sprintf("https://127.0.0.1:%d", p.Ports.Secure) }

// freePorts holds all listeners open until the last port is known, so that they differ. The ports are below those that systems choose for
// sockets without a port of their own: a server that is started again finds its ports free. Java's StablePorts has another range. Another
// program may take a port before a server does; see startAgain.
func freePorts() (ports, error) {
	var free ports
	for _, port := range []*int{&free.Secure, &free.EtcdClient, &free.EtcdPeer} {
		listener, err := listen()
		if err != nil {
			return free, fmt.Errorf("find a free port: %w", err)
		}
		defer listener.Close()
		*port = listener.Addr().(*net.TCPAddr).Port
	}
	return free, nil
}

func listen() (net.Listener, error) {
	const first, count, tries = 26_000, 6_000, 100
	var err error
	for range tries {
		var listener net.Listener
		if listener, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(count))); err == nil {
			return listener, nil
		}
	}
	return nil, err
}
