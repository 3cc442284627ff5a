package watchgate

import (
	"bytes"
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

// tlsContents are the contents of the files.
type tlsContents struct{ ca, certificate, key []byte }

func (c tlsContents) equal(other tlsContents) bool {
	return bytes.Equal(c.ca, other.ca) && bytes.Equal(c.certificate, other.certificate) && bytes.Equal(c.key, other.key)
}

func (f tlsFiles) load() (contents tlsContents, config *tls.Config, err error) {
	config = &tls.Config{MinVersion: tls.VersionTLS12}
	if f.ca != "" {
		if contents.ca, err = os.ReadFile(f.ca); err != nil {
			return contents, nil, fmt.Errorf("watchgate: the CA file cannot be read: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(contents.ca) {
			return contents, nil, fmt.Errorf("watchgate: %s holds no certificate in PEM form", f.ca)
		}
	}
	if f.certificate != "" || f.key != "" {
		var pair tls.Certificate
		contents.certificate, err = os.ReadFile(f.certificate)
		if err == nil {
			contents.key, err = os.ReadFile(f.key)
		}
		if err == nil {
			pair, err = tls.X509KeyPair(contents.certificate, contents.key)
		}
		if err != nil {
			return contents, nil, fmt.Errorf("watchgate: the client certificate cannot be used: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return contents, config, nil
}

// reloadingTLS reads its files again for each stream, call and connection. While one cannot be used, the contents before stay in use.
type reloadingTLS struct {
	credentials.TransportCredentials // of the files as they were at the start; for all but the handshake

	files      tlsFiles
	mu         sync.Mutex
	contents   tlsContents // of last
	last       credentials.TransportCredentials
	generation int // of contents
}

func newReloadingTLS(files tlsFiles) (*reloadingTLS, error) {
	contents, config, err := files.load()
	if err != nil {
		return nil, err
	}
	first := credentials.NewTLS(config)
	return &reloadingTLS{TransportCredentials: first, files: files, contents: contents, last: first}, nil
}

func (r *reloadingTLS) ClientHandshake(ctx context.Context, authority string, connection net.Conn) (net.Conn, credentials.AuthInfo, error) {
	current, _ := r.current()
	return current.ClientHandshake(ctx, authority, connection)
}

// current returns the credentials, and a number that grows when the files have changed.
func (r *reloadingTLS) current() (credentials.TransportCredentials, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if contents, config, err := r.files.load(); err == nil && !contents.equal(r.contents) {
		r.contents, r.last = contents, credentials.NewTLS(config)
		r.generation++
	}
	return r.last, r.generation
}

func (r *reloadingTLS) Clone() credentials.TransportCredentials { return r }
