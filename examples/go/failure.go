package main

import (
	"fmt"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Failure is the reason for which a stream ended, with its action: RESUME, RESTART (without token) or STOP.
type Failure struct {
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message"`
	Action  string `json:"action"`

	retryDelay time.Duration // the least to wait, as the server asks
	code       codes.Code
}

func (f Failure) Error() string { return f.Message }

// failureOf reads the end of a stream. Some proxies drop the details, which the trailers repeat.
func failureOf(err error, trailer metadata.MD) *Failure {
	answer := status.Convert(err)
	// An error that is not a gateway's says nothing about the request: RESUME.
	failure := &Failure{Status: code.Code_name[int32(answer.Code())], Message: answer.Message(), Action: "RESUME", code: answer.Code()}
	if reason, action := trailer.Get("watchgate-reason"), trailer.Get("watchgate-action"); len(reason) > 0 && len(action) > 0 {
		failure.Reason, failure.Action = reason[0], action[0]
	}
	for _, detail := range answer.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.Domain == "watchgate.io" {
				failure.Reason, failure.Action = detail.Reason, detail.Metadata["action"]
			}
		case *errdetails.RetryInfo:
			failure.retryDelay = detail.RetryDelay.AsDuration()
		}
	}
	return failure
}

// mayBeWrongAddress reports whether a server that is not a gateway may have answered: no reason, and no code of a temporary state.
func (f Failure) mayBeWrongAddress() bool {
	switch f.code {
	case codes.Unavailable, codes.Canceled, codes.ResourceExhausted, codes.DeadlineExceeded:
		return false
	}
	return f.Reason == ""
}

// noGateway is the failure if only such servers have answered for too long.
func (f Failure) noGateway(tried time.Duration) Failure {
	f.Action = "STOP"
	f.Message = fmt.Sprintf("no Watchgate has answered there for %.0f s. What answers is a proxy or load balancer in between, "+
		"or another server: %s, %s. Check host and port, and that everything in between passes on gRPC over HTTP/2",
		tried.Seconds(), f.Status, f.Message)
	return f
}
