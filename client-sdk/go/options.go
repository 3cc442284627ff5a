package watchgate

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
)

// Option changes a [Client].
type Option func(*settings)

type settings struct {
	tls                *tlsFiles // nil: plaintext
	serverName         string
	token              func(context.Context) (string, error)
	tokenFile          string
	eachAddress        bool
	firstAnswerTimeout time.Duration
	maxGroupBytes      int
	clientName         string
	dial               []grpc.DialOption
}

func defaultSettings() settings {
	return settings{firstAnswerTimeout: 5 * time.Minute, maxGroupBytes: 64 << 20, clientName: "watchgate-go"}
}

// WithTLS uses TLS. The certificate must be signed by an authority of the system and contain the host.
func WithTLS() Option {
	return func(s *settings) { s.files() }
}

// WithCAFile uses TLS with the authorities in a PEM file. The files of TLS are read again for each stream and call; while one cannot be used, the
// content before stays in use.
func WithCAFile(path string) Option {
	return func(s *settings) { s.files().ca = path }
}

// WithClientCertificate uses TLS and shows a certificate, PEM. The next stream or call after a replacement shows the new one.
func WithClientCertificate(certificateFile, keyFile string) Option {
	return func(s *settings) { s.files().certificate, s.files().key = certificateFile, keyFile }
}

// WithServerName sets the name that the gateway's certificate must contain in place of the host, for a port-forward or for addresses of
// replicas. It needs TLS.
func WithServerName(name string) Option {
	return func(s *settings) { s.serverName = name }
}

// WithTokenFile sends the bearer token in a file, which is read for each stream and call. Without TLS the token is readable on the network.
func WithTokenFile(path string) Option {
	return func(s *settings) {
		s.tokenFile = path
		s.token = func(context.Context) (string, error) { return readToken(path) }
	}
}

// WithToken sends a bearer token, which is asked for with each stream and call. It must be safe for several goroutines.
func WithToken(token func(context.Context) (string, error)) Option {
	return func(s *settings) { s.tokenFile, s.token = "", token }
}

// WithEachAddress treats each address of a host as a replica: for the name of a headless Service. Names are looked up at most every 10 s.
func WithEachAddress() Option {
	return func(s *settings) { s.eachAddress = true }
}

// WithFirstAnswerTimeout sets the time to retry while only servers answer that are not a gateway, and no gateway ever did. Default: 5 min.
func WithFirstAnswerTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.firstAnswerTimeout = timeout }
}

// WithMaxGroupBytes sets the limit of changes that have to be applied together, for each watch, as received. Above it a snapshot is taken, which
// arrives in parts. Default: 64 MiB.
func WithMaxGroupBytes(limit int) Option {
	return func(s *settings) { s.maxGroupBytes = limit }
}

// WithClientName sets the name of the program in the gateway's audit log, at most 128 bytes.
func WithClientName(name string) Option {
	return func(s *settings) { s.clientName = name }
}

// WithDialOptions adds options of gRPC for each connection, after those of the client.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(s *settings) { s.dial = append(s.dial, options...) }
}

func (s *settings) files() *tlsFiles {
	if s.tls == nil {
		s.tls = &tlsFiles{}
	}
	return s.tls
}

func (s *settings) check() error {
	if s.serverName != "" && s.tls == nil {
		return fmt.Errorf("watchgate: WithServerName(%q) needs TLS: add WithTLS or WithCAFile", s.serverName)
	}
	if s.tokenFile != "" {
		if _, err := os.Stat(s.tokenFile); err != nil {
			return fmt.Errorf("watchgate: the token file cannot be read: %w", err)
		}
	}
	if s.maxGroupBytes < 1<<20 {
		return fmt.Errorf("watchgate: WithMaxGroupBytes(%d) is less than 1 MiB", s.maxGroupBytes)
	}
	return nil
}

// readToken refuses an empty file: one that is being replaced.
func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	token := strings.TrimSpace(string(text))
	if err == nil && token == "" {
		err = fmt.Errorf("%s holds no token", path)
	}
	return token, err
}
