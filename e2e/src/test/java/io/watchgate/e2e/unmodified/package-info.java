/**
 * Tests with unmodified third-party programs: kubectl, client-go's informer and fabric8's, with any
 * server of the Kubernetes API. The tests show that the server has what these programs need.
 */
@NullMarked
package io.watchgate.e2e.unmodified;

import org.jspecify.annotations.NullMarked;
