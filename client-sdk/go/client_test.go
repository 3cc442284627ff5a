package watchgate_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	watchgate "watchgate.io/client"
	"watchgate.io/client/watchgatetest"
	"watchgate.io/client/watchgatev1"
)

func TestNewClient_badInput_isNamed(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(folder, "missing")
	cases := []struct {
		addresses []string
		option    watchgate.Option
		want      string
	}{
		{nil, watchgate.WithTLS(), "NewClient needs the address of a gateway, HOST:PORT"},
		{[]string{"gateway"}, watchgate.WithTLS(), `the address "gateway" is not HOST:PORT`},
		{[]string{"gateway:1"}, watchgate.WithServerName("other"), `WithServerName("other") needs TLS`},
		{[]string{"gateway:1"}, watchgate.WithCAFile(missing), "the CA file cannot be read: open " + missing},
		{[]string{"gateway:1"}, watchgate.WithCAFile(empty), empty + " holds no certificate"},
		{[]string{"gateway:1"}, watchgate.WithClientCertificate(empty, missing), "the client certificate cannot be used: open " + missing},
		{[]string{"gateway:1"}, watchgate.WithTokenFile(missing), "the token file cannot be read: stat " + missing},
		{[]string{"gateway:1"}, watchgate.WithMaxGroupBytes(1), "WithMaxGroupBytes(1) is less than 1 MiB"},
	}
	for _, tried := range cases {
		if _, err := watchgate.NewClient(tried.addresses, tried.option); err == nil || !strings.HasPrefix(err.Error(), "watchgate: "+tried.want) {
			t.Errorf("%v, want %s", err, tried.want)
		}
	}
}

func TestClient_list(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		gateway.Put("shop", "web", "{}")
		gateway.Put("bank", "api", "{}")
		list, err := client.List(t.Context(), watchgate.Selection{Resource: "pods", Namespaces: []string{"shop"}}, watchgate.MaxStaleness(0))
		if err != nil || len(list.Objects) != 1 || list.Objects[0].Type != watchgate.Added || list.Objects[0].Key.Name != "web" {
			t.Fatal(list, err)
		}
		gateway.Put("shop", "next", "{}")
		lines := story(t.Context(), t, client, func(event watchgate.Event) bool {
			_, ok := event.(watchgate.Changes)
			return !ok
		}, watchgate.ResumeFrom(list.Position.Token))
		expect(t, lines, "RESUMED", "ADDED shop/next")
		if _, err := client.List(t.Context(), pods, watchgate.FromNow()); err == nil || err.Error() !=
			"watchgate: FromNow is an option of a watch, not of a list; leave it out" {
			t.Error(err)
		}
	})
}

func TestClient_types(t *testing.T) {
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		types, err := client.Types(t.Context())
		if err != nil || len(types) != 1 || types[0].Kind != "Pod" {
			t.Error(types, err)
		}
	})
}

// pages answers lists of two pages. It fails as a proxy, and refuses second pages, for a number of times.
type pages struct {
	watchgatev1.UnimplementedWatchServiceServer

	failures, expired atomic.Int32
}

func (p *pages) ListObjects(ctx context.Context, request *watchgatev1.ListObjectsRequest) (*watchgatev1.ListObjectsResponse, error) {
	if p.failures.Add(-1) >= 0 {
		return nil, errors.New("of a proxy")
	}
	if len(request.PageToken) > 0 && p.expired.Add(-1) >= 0 {
		_ = grpc.SetTrailer(ctx, metadata.Pairs("watchgate-reason", "PAGE_EXPIRED", "watchgate-action", "RESTART"))
		return nil, status.Error(codes.OutOfRange, "too old")
	}
	object := &watchgatev1.WatchEvent{Type: watchgatev1.EventType_EVENT_TYPE_ADDED, Key: &watchgatev1.ObjectKey{Name: string(request.PageToken)}}
	answer := &watchgatev1.ListObjectsResponse{Objects: []*watchgatev1.WatchEvent{object}, ResourceVersion: "7"}
	if len(request.PageToken) == 0 {
		answer.NextPageToken = []byte("second")
	}
	return answer, nil
}

func serve(t *testing.T, service watchgatev1.WatchServiceServer, options ...grpc.ServerOption) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(options...)
	watchgatev1.RegisterWatchServiceServer(server, service)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func TestClient_list_readsAllPagesAndRepeatsFailedCalls(t *testing.T) {
	service := &pages{}
	client, err := watchgate.NewClient([]string{serve(t, service)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	service.failures.Store(2)
	list, err := client.List(t.Context(), pods)
	if err != nil || len(list.Objects) != 2 || list.Objects[1].Key.Name != "second" || list.Position.ResourceVersion != "7" {
		t.Error(list, err)
	}
	service.expired.Store(2)
	if list, err := client.List(t.Context(), pods); err != nil || len(list.Objects) != 2 || list.Objects[0].Key.Name != "" {
		t.Error("after pages that expired:", list, err)
	}
	service.failures.Store(4)
	var failure *watchgate.StatusError
	if _, err := client.List(t.Context(), pods); !errors.As(err, &failure) || failure.Code != codes.Unknown || failure.FromGateway() {
		t.Error(err)
	}
	if left := service.failures.Load(); left != 0 {
		t.Errorf("%d attempts, not 4", 4-left)
	}
}

// ownPages is a replica with lists of three pages, which has no page of a list that another one began.
type ownPages struct {
	watchgatev1.UnimplementedWatchServiceServer

	name string
	away atomic.Bool // does not answer
}

func (o *ownPages) ListObjects(ctx context.Context, request *watchgatev1.ListObjectsRequest) (*watchgatev1.ListObjectsResponse, error) {
	name, last, isFurther := strings.Cut(string(request.PageToken), "/")
	switch {
	case o.away.Load():
		return nil, status.Error(codes.Unavailable, "of a proxy")
	case isFurther && name != o.name:
		_ = grpc.SetTrailer(ctx, metadata.Pairs("watchgate-reason", "PAGE_EXPIRED", "watchgate-action", "RESTART"))
		return nil, status.Error(codes.OutOfRange, "not of this replica")
	}
	page := &watchgatev1.WatchEvent{Type: watchgatev1.EventType_EVENT_TYPE_ADDED, Key: &watchgatev1.ObjectKey{Namespace: o.name, Name: last}}
	answer := &watchgatev1.ListObjectsResponse{Objects: []*watchgatev1.WatchEvent{page}, ResourceVersion: "7"}
	if len(last) < 2 {
		answer.NextPageToken = []byte(o.name + "/" + last + "+")
	}
	return answer, nil
}

func TestClient_list_readsAllPagesAtOneReplica(t *testing.T) {
	one, other := &ownPages{name: "one"}, &ownPages{name: "other"}
	client, err := watchgate.NewClient([]string{serve(t, one), serve(t, other)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	list := func() string {
		t.Helper()
		listed, err := client.List(t.Context(), pods)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, object := range listed.Objects {
			names = append(names, object.Key.String())
		}
		return strings.Join(names, " ")
	}
	served := map[string]bool{list(): true, list(): true}
	if len(served) != 2 || !served["one/ one/+ one/++"] || !served["other/ other/+ other/++"] {
		t.Errorf("not each replica served a list: %v", served)
	}
	one.away.Store(true)
	if got := list(); got != "other/ other/+ other/++" {
		t.Error("while a replica is away:", got)
	}
}

func TestClient_list_afterReplicaIsLost_beginsAgainAtAnother(t *testing.T) {
	one, other := &ownPages{name: "one"}, &ownPages{name: "other"}
	var answers atomic.Int32
	// The replica that gave the first page does not answer again.
	dropping := grpc.UnaryInterceptor(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		answer, err := handler(ctx, request)
		if answers.Add(1) == 1 {
			list := answer.(*watchgatev1.ListObjectsResponse)
			map[string]*ownPages{"one": one, "other": other}[list.Objects[0].Key.Namespace].away.Store(true)
		}
		return answer, err
	})
	client, err := watchgate.NewClient([]string{serve(t, one, dropping), serve(t, other, dropping)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	listed, err := client.List(t.Context(), pods)
	if err != nil || len(listed.Objects) != 3 {
		t.Fatal(listed, err)
	}
	if first, last := listed.Objects[0].Key.Namespace, listed.Objects[2].Key.Namespace; first != last {
		t.Error("a list of two replicas:", first, last)
	}
}

func TestClient_tokenFile_isReadForEachStream(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first\n")
	bubble(t, func(t *testing.T, gateway *watchgatetest.FakeGateway, client *watchgate.Client) {
		story(t.Context(), t, client, func(event watchgate.Event) bool {
			switch event := event.(type) {
			case watchgate.SnapshotComplete:
				write("")
				gateway.Cut()
			case watchgate.Interrupted:
				if event.Attempt == 3 {
					if got := event.Cause.Error(); !strings.HasSuffix(got, file+" holds no token") {
						t.Error(got)
					}
					write(" second ")
				}
			case watchgate.Resumed:
				return false
			}
			return true
		})
		if got := gateway.Authorizations(); !slices.Equal(got, []string{"Bearer first", "Bearer second"}) {
			t.Error(got)
		}
	}, watchgate.WithTokenFile(file))
}

// authority makes certificates for a name.
func authority(t *testing.T, folder, name string) (certificate tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(folder, "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

func TestClient_caFile_isReadForEachConnection(t *testing.T) {
	folder := t.TempDir()
	var current atomic.Pointer[tls.Certificate]
	first, file := authority(t, folder, "gateway.test")
	current.Store(&first)
	config := &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return current.Load(), nil }}
	address := serve(t, &pages{}, grpc.Creds(credentials.NewTLS(config)))
	client, err := watchgate.NewClient([]string{address}, watchgate.WithCAFile(file), watchgate.WithServerName("gateway.test"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	list := func() error {
		other, err := watchgate.NewClient([]string{address}, watchgate.WithCAFile(file), watchgate.WithServerName("gateway.test"))
		if err != nil {
			return err
		}
		defer other.Close()
		_, err = other.List(t.Context(), pods)
		return err
	}
	if err := list(); err != nil {
		t.Fatal(err)
	}
	second, _ := authority(t, folder, "gateway.test")
	current.Store(&second)
	if _, err := client.List(t.Context(), pods); err != nil { // its first connection, after the files were replaced
		t.Error(err)
	}
	third, _ := authority(t, t.TempDir(), "gateway.test")
	current.Store(&third)
	if err := list(); err == nil {
		t.Error("a certificate of another authority is trusted")
	}
}

func TestClient_eachAddressOfAName_isAReplica(t *testing.T) {
	certificate, file := authority(t, t.TempDir(), "localhost")
	address := serve(t, &pages{}, grpc.Creds(credentials.NewServerTLSFromCert(&certificate)))
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	client, err := watchgate.NewClient([]string{"localhost:" + port}, watchgate.WithEachAddress(), watchgate.WithCAFile(file))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.List(t.Context(), pods); err != nil { // by the addresses 127.0.0.1 and ::1, which the certificate does not have
		t.Error(err)
	}
	unknown, err := watchgate.NewClient([]string{"no-such-host.invalid:1"}, watchgate.WithEachAddress())
	if err != nil {
		t.Fatal(err)
	}
	defer unknown.Close()
	var failure *watchgate.StatusError
	if _, err := unknown.List(t.Context(), pods); !errors.As(err, &failure) || failure.Code != codes.Unavailable {
		t.Error(err)
	}
}

// A gateway has to answer each ping, so that a change would cost it twice as many frames.
func TestClient_changes_causeNoPings(t *testing.T) {
	gateway := watchgatetest.Start()
	defer gateway.Close()
	sent := &sentFrames{TransportCredentials: insecure.NewCredentials()}
	client, err := watchgatetest.NewClient([]*watchgatetest.FakeGateway{gateway}, watchgate.WithDialOptions(grpc.WithTransportCredentials(sent)))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	store := reflectPods(t, client)
	defer store.Close()
	if err := store.Synced(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if err := store.WaitAtLeast(t.Context(), gateway.Put("shop", "web", "{}")); err != nil {
			t.Fatal(err)
		}
	}
	const headers, ping = 1, 6
	if sent.ofType(headers) == 0 || sent.ofType(ping) != 0 {
		t.Errorf("%d requests, %d pings", sent.ofType(headers), sent.ofType(ping))
	}
}

// sentFrames counts the frames of HTTP/2 that a client sends over one connection.
type sentFrames struct {
	credentials.TransportCredentials

	mu    sync.Mutex
	bytes []byte
}

func (s *sentFrames) ClientHandshake(ctx context.Context, authority string, connection net.Conn) (net.Conn, credentials.AuthInfo, error) {
	connection, info, err := s.TransportCredentials.ClientHandshake(ctx, authority, connection)
	return sentConn{connection, s}, info, err
}

func (s *sentFrames) Clone() credentials.TransportCredentials { return s }

// ofType counts the frames of a type, except acknowledgements.
func (s *sentFrames) ofType(kind byte) (count int) {
	const preface, head, acknowledged = 24, 9, 1
	s.mu.Lock()
	defer s.mu.Unlock()
	for at := preface; at+head <= len(s.bytes); {
		frame := s.bytes[at:]
		if frame[3] == kind && (kind != 6 || frame[4]&acknowledged == 0) {
			count++
		}
		at += head + int(frame[0])<<16 + int(frame[1])<<8 + int(frame[2])
	}
	return count
}

type sentConn struct {
	net.Conn
	frames *sentFrames
}

func (c sentConn) Write(bytes []byte) (int, error) {
	c.frames.mu.Lock()
	c.frames.bytes = append(c.frames.bytes, bytes...)
	c.frames.mu.Unlock()
	return c.Conn.Write(bytes)
}
