package watchgate

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"watchgate.io/client/watchgatev1"
)

// ErrClosed is the end of a watch or a call whose client was closed.
var ErrClosed = errors.New("watchgate: the client is closed")

// ErrOmitted is the fault of an object that exceeds [MaxResponseBytes], where its body is needed.
var ErrOmitted = errors.New("the object exceeds the largest response and came without its body")

// Action is the reaction of a client to an error, as the contract names it.
type Action int

// Actions.
const (
	Resume  Action = iota + 1 // open a stream with the last token
	Restart                   // open a stream without a token
	Stop                      // report the error: the request cannot succeed as it is
)

func (a Action) String() string {
	switch a {
	case Resume:
		return "RESUME"
	case Restart:
		return "RESTART"
	case Stop:
		return "STOP"
	}
	return "UNKNOWN"
}

func actionOf(name string) (Action, bool) {
	for action := Resume; action <= Stop; action++ {
		if strings.EqualFold(name, action.String()) {
			return action, true
		}
	}
	return 0, false
}

// StatusError is the end of a stream or a call by an error. It unwraps to the error of gRPC, so that status.Code works.
type StatusError struct {
	Code codes.Code // Unknown for a stream that ended with OK, which no gateway does
	// Reason is a name of ErrorReason without its prefix, such as TYPE_UNKNOWN; empty if the error is not a gateway's but a proxy's, the network's
	// or gRPC's.
	Reason     string
	Action     Action
	Message    string        // for a person: the request, the fault and the fix
	RetryAfter time.Duration // the least wait before a retry; 0 if the server named none
	Field      string        // path of the invalid field of the request, if there is one

	cause error
}

func (e *StatusError) Error() string {
	if e.Reason != "" {
		return "watchgate: " + e.Reason + ": " + e.Message
	}
	return "watchgate: " + e.Status() + ": " + e.Message
}

// Status returns the name of the code as the contract has it: PERMISSION_DENIED.
func (e *StatusError) Status() string { return code.Code(e.Code).String() }

// Unwrap returns the error of gRPC.
func (e *StatusError) Unwrap() error { return e.cause }

// FromGateway reports whether a gateway sent the error, and not another server, the network or this program.
func (e *StatusError) FromGateway() bool { return e.Reason != "" }

// mayBeWrongAddress reports whether a server that is not a gateway may have sent the error: it has no reason and no code of a temporary state.
func (e *StatusError) mayBeWrongAddress() bool { return !e.FromGateway() && !isTemporary(e.Code) }

func isTemporary(code codes.Code) bool {
	switch code {
	case codes.Unavailable, codes.Canceled, codes.ResourceExhausted, codes.DeadlineExceeded:
		return true
	}
	return false
}

// noGateway returns the error after such answers for some time while no gateway ever answered.
func (e *StatusError) noGateway(tried time.Duration) *StatusError {
	return &StatusError{
		Code:   e.Code,
		Action: Stop,
		Message: fmt.Sprintf("no Watchgate has answered there for %.0f s. What answers is a proxy or load balancer in between, or another "+
			"server: %s, %s. Check host and port, and that everything in between passes on gRPC over HTTP/2",
			tried.Seconds(), e.Status(), strings.TrimSuffix(e.Message, ".")),
		cause: e.cause,
	}
}

// statusErrorOf reads the end of a call: the details first, then the trailers, which repeat them because some proxies drop the details.
func statusErrorOf(err error, trailer metadata.MD) *StatusError {
	if errors.Is(err, io.EOF) {
		return &StatusError{Code: codes.Unknown, Action: Resume, Message: "the stream ended without an error, which a gateway never does", cause: err}
	}
	converted := status.Convert(err)
	result := &StatusError{Code: converted.Code(), Message: converted.Message(), cause: err}
	if reason := trailer.Get("watchgate-reason"); len(reason) > 0 {
		result.Reason = reason[0]
	}
	named := ""
	if action := trailer.Get("watchgate-action"); len(action) > 0 {
		named = action[0]
	}
	for _, detail := range converted.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.Domain == "watchgate.io" {
				result.Reason = detail.Reason
				if _, known := actionOf(detail.Metadata["action"]); known {
					named = detail.Metadata["action"]
				}
			}
		case *errdetails.RetryInfo:
			result.RetryAfter = max(detail.RetryDelay.AsDuration(), 0)
		case *errdetails.BadRequest:
			for _, violation := range detail.FieldViolations {
				if result.Field == "" && violation.Description != "" {
					result.Field = violation.Field
				}
			}
		}
	}
	action, known := actionOf(named)
	switch {
	case known:
		result.Action = action
	case result.Reason == "" || isTemporary(result.Code) || result.Code == codes.Unknown || result.Code == codes.Internal:
		result.Action = Resume
	default: // an action that this version does not know
		result.Action = Stop
	}
	return result
}

// unavailable returns a failure of this side, which is treated like a failure of the network.
func unavailable(message string, cause error) *StatusError {
	return &StatusError{Code: codes.Unavailable, Action: Resume, Message: message + ": " + cause.Error(), cause: cause}
}

// GoingAwayError is the end of a stream whose gateway asked the client to open another one.
type GoingAwayError struct {
	Reason watchgatev1.GoingAwayReason
	Within time.Duration // the next stream is opened at a random moment within this time
}

func (e *GoingAwayError) Error() string {
	return "watchgate: the gateway asked the client to reconnect: " + strings.TrimPrefix(e.Reason.String(), "GOING_AWAY_REASON_")
}

// SilenceError is the end of a stream that sent nothing, not even a bookmark, for three bookmark intervals.
type SilenceError struct{ Waited time.Duration }

func (e *SilenceError) Error() string {
	return fmt.Sprintf("watchgate: the stream was silent for %s", e.Waited)
}

// GroupTooLargeError is the end of a stream with more changes that belong together than [WithMaxGroupBytes] allows. A snapshot follows, which arrives
// in parts.
type GroupTooLargeError struct{ Limit int }

func (e *GroupTooLargeError) Error() string {
	return fmt.Sprintf("watchgate: changes that belong together exceeded %d bytes", e.Limit)
}

// DecodeError is the fault of one object that could not be decoded.
type DecodeError struct {
	Key             Key
	ResourceVersion string
	Err             error
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("watchgate: %s at version %s cannot be decoded: %v", e.Key, e.ResourceVersion, e.Err)
}

// Unwrap returns the error of the decoder.
func (e *DecodeError) Unwrap() error { return e.Err }
