/**
 * Programs of others, unmodified: kubectl, client-go's informer and fabric8's, pointed at whatever
 * speaks the Kubernetes protocol. What they need of a server is what they make of it here.
 */
@NullMarked
package io.watchgate.e2e.unmodified;

import org.jspecify.annotations.NullMarked;
