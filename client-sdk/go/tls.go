package watchgate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"sync"

	"google.golang.org/grpc/credentials"
)

// tlsFiles names the files of TLS; an empty name is none.
type tlsFiles struct{ ca, certificate, key string }

func (f tlsFiles) load() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.ca != "" {
		text, err := os.ReadFile(f.ca)
		if err != nil {
			return nil, fmt.Errorf("watchgate: the CA file cannot be read: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("watchgate: %s holds no certificate in PEM form", f.ca)
		}
	}
	if f.certificate != "" || f.key != "" {
		pair, err := tls.LoadX509KeyPair(f.certificate, f.key)
		if err != nil {
			return nil, fmt.Errorf("watchgate: the client certificate cannot be used: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// reloadingTLS reads its files again for each connection.
type reloadingTLS struct {
	credentials.TransportCredentials // of the files as they were at the start; for all but the handshake

	files tlsFiles
	mu    sync.Mutex
	last  credentials.TransportCredentials // that could be used
}

func newReloadingTLS(files tlsFiles) (*reloadingTLS, error) {
	config, err := files.load()
	if err != nil {
		return nil, err
	}
	first := credentials.NewTLS(config)
	return &reloadingTLS{TransportCredentials: first, files: files, last: first}, nil
}

func (r *reloadingTLS) ClientHandshake(ctx context.Context, authority string, connection net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return r.current().ClientHandshake(ctx, authority, connection)
}

func (r *reloadingTLS) current() credentials.TransportCredentials {
	r.mu.Lock()
	defer r.mu.Unlock()
	if config, err := r.files.load(); err == nil {
		r.last = credentials.NewTLS(config)
	}
	return r.last
}

func (r *reloadingTLS) Clone() credentials.TransportCredentials { return r }
