package watchgate

import (
	"context"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"watchgate.io/client/watchgatev1"
)

const (
	drainingTime    = 30 * time.Second // for which a replica that shuts down, or its address, may still be visible
	rebalancingTime = 10 * time.Second // that a replica with too many streams may need to move them away
	behindTime      = 5 * time.Second  // that a replica which lags or loads may need to catch up
	lookupTime      = 10 * time.Second // for which addresses that were looked up are used
)

// replica is one address of the gateway. Its fields are guarded by the lock of the set.
type replica struct {
	address    string
	connection *grpc.ClientConn
	previous   *grpc.ClientConn // of earlier TLS files, for the streams that are open; nil: none
	generation int              // of the TLS files of connection

	failures    int // since its last answer
	backoff     backoff
	notBefore   time.Time // until then other replicas are preferred
	unreachable bool      // the reason of notBefore is that it did not answer
	lastChoice  int
}

// replicaSet chooses the replica of the next stream: round robin, from a random one on. It skips replicas that do not answer, shut down, lag or
// have too many streams, unless all are skipped; then each is tried in turn.
type replicaSet struct {
	connect func(address string) (*grpc.ClientConn, error)
	resolve func(ctx context.Context) ([]string, error) // nil: the replicas do not change
	// tlsGeneration returns a number that grows when the TLS files have changed.
	tlsGeneration func() int

	mu         sync.Mutex
	replicas   []*replica
	next       int
	choices    int
	lastLookup time.Time
	answered   bool // by a gateway, ever
	closed     bool
}

// set replaces the replicas. Streams of removed ones end.
func (s *replicaSet) set(addresses []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.replicas = slices.DeleteFunc(s.replicas, func(known *replica) bool {
		if slices.Contains(addresses, known.address) {
			return false
		}
		known.close()
		return true
	})
	for _, address := range addresses {
		if slices.ContainsFunc(s.replicas, func(known *replica) bool { return known.address == address }) {
			continue
		}
		connection, err := s.connect(address)
		if err != nil {
			return err
		}
		added := &replica{address: address, connection: connection, generation: s.tlsGeneration(), backoff: backoff{first: time.Second}}
		// At a random index: the first replica, and the one behind one that is skipped, must not be the same for all clients.
		s.replicas = slices.Insert(s.replicas, rand.IntN(len(s.replicas)+1), added)
	}
	return nil
}

// service returns the service at a replica, over a connection with the present TLS files. Open streams keep the connection before. They end within
// half an hour, and new certificates are rarer: if the files change twice before that, the streams are interrupted, and resume.
func (s *replicaSet) service(at *replica) watchgatev1.WatchServiceClient {
	generation := s.tlsGeneration() // reads files: not while other streams wait for the lock
	s.mu.Lock()
	defer s.mu.Unlock()
	if generation > at.generation && !s.closed {
		if connection, err := s.connect(at.address); err == nil {
			if at.previous != nil {
				_ = at.previous.Close()
			}
			at.previous, at.connection, at.generation = at.connection, connection, generation
		}
	}
	return watchgatev1.NewWatchServiceClient(at.connection)
}

// choose returns the replica for the next stream; left is to be avoided if there is another.
func (s *replicaSet) choose(ctx context.Context, left *replica) (*replica, error) {
	if err := s.lookUp(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	chosen := s.preferred(left)
	s.choices++
	chosen.lastChoice = s.choices
	return chosen, nil
}

func (s *replicaSet) preferred(left *replica) *replica {
	if s.hasOther(left) {
		for i := range s.replicas {
			at := (s.next + i) % len(s.replicas)
			if candidate := s.replicas[at]; candidate != left && !candidate.isSkipped() {
				s.next = (at + 1) % len(s.replicas)
				return candidate
			}
		}
	}
	if left != nil && slices.Contains(s.replicas, left) && left.isPreferred() {
		return left
	}
	// All that is known of the replicas may be out of date, so they are tried in turn.
	var oldest *replica
	for _, candidate := range s.replicas {
		if (candidate != left || len(s.replicas) == 1) && (oldest == nil || candidate.lastChoice < oldest.lastChoice) {
			oldest = candidate
		}
	}
	return oldest
}

func (r *replica) isSkipped() bool { return time.Now().Before(r.notBefore) }

func (r *replica) isPreferred() bool { return r.failures == 0 && !r.isSkipped() }

func (s *replicaSet) hasOther(than *replica) bool {
	return slices.ContainsFunc(s.replicas, func(other *replica) bool { return other != than && other.isPreferred() })
}

// has reports whether the replica was not removed.
func (s *replicaSet) has(one *replica) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.replicas, one)
}

// knowsOther reports whether a stream of the replica may be sent away to another one.
func (s *replicaSet) knowsOther(than *replica) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hasOther(than)
}

func (s *replicaSet) lookUp(ctx context.Context) error {
	if s.resolve == nil {
		return nil
	}
	s.mu.Lock()
	isFresh := len(s.replicas) > 0 && time.Since(s.lastLookup) < lookupTime
	if !isFresh {
		s.lastLookup = time.Now() // other goroutines use the present replicas during the lookup
	}
	s.mu.Unlock()
	if isFresh {
		return nil
	}
	addresses, err := s.resolve(ctx)
	if err == nil {
		return s.set(addresses)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.replicas) > 0 {
		return nil // those that were known remain
	}
	return err
}

// resolver returns the addresses of all hosts. A host that is not found is an error only if no other is.
func resolver(addresses []string) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		var found []string
		var failure error
		for _, address := range addresses {
			host, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			resolved, err := net.DefaultResolver.LookupHost(ctx, host)
			if err != nil {
				failure = err
			}
			for _, one := range resolved {
				found = append(found, net.JoinHostPort(one, port))
			}
		}
		if len(found) == 0 {
			return nil, failure
		}
		slices.Sort(found)
		return slices.Compact(found), nil
	}
}

// recordAdmission records that the replica opened a stream.
func (s *replicaSet) recordAdmission(by *replica) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordAnswerLocked(by)
	by.notBefore = time.Time{}
}

// recordAnswer records that the replica answered.
func (s *replicaSet) recordAnswer(by *replica) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordAnswerLocked(by)
}

func (s *replicaSet) recordAnswerLocked(by *replica) {
	s.answered = true
	by.failures = 0
	by.backoff.reset()
	if by.unreachable {
		by.unreachable = false
		by.notBefore = time.Time{}
	}
}

func (s *replicaSet) hasAnswered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answered
}

// recordInterruption records why a stream or a call of the replica ended, and reports whether another replica may serve it.
func (s *replicaSet) recordInterruption(at *replica, cause error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if failure, ok := cause.(*StatusError); ok && failure.FromGateway() {
		s.recordAnswerLocked(at)
	}
	if aside := at.aside(cause); aside > 0 {
		at.notBefore = time.Now().Add(aside)
		at.unreachable = at.failures > 0
	}
	return slices.ContainsFunc(s.replicas, func(other *replica) bool { return other != at && !other.isSkipped() })
}

// aside returns for how long other replicas are preferred.
func (r *replica) aside(cause error) time.Duration {
	switch cause := cause.(type) {
	case *GoingAwayError:
		switch cause.Reason {
		case watchgatev1.GoingAwayReason_GOING_AWAY_REASON_DRAINING:
			return drainingTime
		case watchgatev1.GoingAwayReason_GOING_AWAY_REASON_REBALANCING:
			return rebalancingTime
		}
		return 0
	case *GroupTooLargeError:
		return 0
	case *StatusError:
		switch cause.Reason {
		case "":
		case "DRAINING":
			return drainingTime
		case "REBALANCING":
			return rebalancingTime
		case "STARTING", "BEHIND", "TOO_STALE", "UPSTREAM_UNAVAILABLE", "MEMORY", "QUOTA":
			return behindTime
		default:
			return 0
		}
	}
	r.failures++
	if r.isSkipped() {
		return 0 // all streams of a connection end together: one failure
	}
	return r.backoff.next()
}

func (s *replicaSet) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, replica := range s.replicas {
		replica.close()
	}
}

func (r *replica) close() {
	_ = r.connection.Close()
	if r.previous != nil {
		_ = r.previous.Close()
	}
}
