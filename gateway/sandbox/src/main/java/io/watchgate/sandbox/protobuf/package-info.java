/**
 * Reader of objects in protobuf, which client-go prefers for built-in types: {@code kubectl create
 * namespace} sends such a request. The objects are converted to the JSON that the same client would
 * have sent, and then handled like other JSON. Responses are JSON, which these clients accept.
 *
 * <p>{@code fields.txt} has the numbers of the fields; {@code fields.go}, next to the tests,
 * generates it from the tags of the Go types. The file is read on the first request in protobuf.
 * Immutable; any thread.
 *
 * <p><b>Bounds.</b> Messages may be nested 100 levels deep. Unknown fields, for example of a newer
 * client, are ignored.
 *
 * <p><b>Rejected.</b> Code generated from the protobuf definitions of the types: it has 2 MB, and
 * its JSON is not that of Kubernetes.
 */
@NullMarked
package io.watchgate.sandbox.protobuf;

import org.jspecify.annotations.NullMarked;
