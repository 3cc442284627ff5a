/**
 * Contract between the server of the Kubernetes read API, which receives requests that it does not
 * answer itself, and the client of the apiserver, which passes them on.
 */
@NullMarked
package io.watchgate.relay;

import org.jspecify.annotations.NullMarked;
