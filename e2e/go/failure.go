package main

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Failure is why a stream ended, and what to do about it: RESUME, RESTART (without token) or STOP.
type Failure struct {
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message"`
	Action  string `json:"action"`

	retryDelay time.Duration // the least to wait, as the server asks
}

func (f Failure) Error() string { return f.Message }

func failureOf(err error) Failure {
	told := status.Convert(err)
	failure := Failure{Status: code.Code_name[int32(told.Code())], Message: told.Message(), Action: "STOP"}
	switch told.Code() { // for errors that are not Watchgate's own: a proxy's, a library's
	case codes.Unavailable, codes.Canceled, codes.Unknown, codes.Internal, codes.ResourceExhausted, codes.DeadlineExceeded:
		failure.Action = "RESUME"
	}
	for _, detail := range told.Details() {
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
