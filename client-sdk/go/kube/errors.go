package kube

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	watchgate "watchgate.io/client"
)

// statusOf returns an error of a gateway as an apiserver would have sent it, so that reflectors and programs react to it as they do there.
func statusOf(err error, resource schema.GroupResource) *apierrors.StatusError {
	var known *apierrors.StatusError
	if errors.As(err, &known) {
		return known
	}
	var failure *watchgate.StatusError
	if !errors.As(err, &failure) {
		return apierrors.NewInternalError(err)
	}
	if failure.Action == watchgate.Restart {
		return apierrors.NewResourceExpired(failure.Error())
	}
	switch failure.Reason {
	case "BEHIND":
		return tooLargeVersion(failure)
	case "CREDENTIALS_INVALID", "CREDENTIALS_EXPIRED":
		return apierrors.NewUnauthorized(failure.Error())
	case "TYPE_UNKNOWN", "TYPE_GONE":
		return generic(http.StatusNotFound, resource, failure)
	case "TYPE_NOT_WATCHABLE", "TYPE_NOT_SERVED", "VERSIONS_NOT_ORDERED":
		return generic(http.StatusMethodNotAllowed, resource, failure)
	}
	switch failure.Code {
	case codes.InvalidArgument:
		return apierrors.NewBadRequest(failure.Error())
	case codes.Unauthenticated:
		return apierrors.NewUnauthorized(failure.Error())
	case codes.PermissionDenied:
		return apierrors.NewForbidden(resource, "", failure)
	case codes.ResourceExhausted:
		return apierrors.NewTooManyRequests(failure.Error(), seconds(failure.RetryAfter))
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded:
		status := apierrors.NewServiceUnavailable(failure.Error())
		status.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(seconds(failure.RetryAfter))}
		return status
	}
	return apierrors.NewInternalError(failure)
}

func generic(code int, resource schema.GroupResource, failure error) *apierrors.StatusError {
	status := apierrors.NewGenericServerResponse(code, "watch", resource, "", failure.Error(), 0, true)
	status.ErrStatus.Message = failure.Error()
	return status
}

// tooLargeVersion returns the error after which a reflector lists without a lower bound.
func tooLargeVersion(cause error) *apierrors.StatusError {
	status := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %v", cause), 1)
	status.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return status
}

// seconds returns at least 1, because 0 says that there is no time.
func seconds(wait time.Duration) int { return max(1, int(math.Ceil(wait.Seconds()))) }
