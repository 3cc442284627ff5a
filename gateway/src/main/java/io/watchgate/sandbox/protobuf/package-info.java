/**
 * Objects in protobuf, as client-go sends those of built-in types wherever it has a choice: {@code
 * kubectl create namespace} is such a request. They are turned into the JSON that the same client
 * would have sent, and then treated like any other. Answers are JSON, which these clients accept.
 *
 * <p>{@code fields.txt} says which field has which number; {@code fields.go} beside the tests makes
 * it of the types' own tags. It is read when the first such request comes. Immutable; any thread.
 *
 * <p><b>Bounds.</b> Messages may be nested 100 deep; fields that are not known are left out, as a
 * newer client's would be.
 *
 * <p>Rejected: code generated from the types' protobuf definitions. It is two megabytes, and its
 * JSON is not that of Kubernetes.
 */
@NullMarked
package io.watchgate.sandbox.protobuf;

import org.jspecify.annotations.NullMarked;
