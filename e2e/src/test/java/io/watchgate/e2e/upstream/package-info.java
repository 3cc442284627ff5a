/**
 * Tests of the gateway's list, watch and discovery with a real kube-apiserver, which validate the
 * stub of the unit tests.
 */
@NullMarked
package io.watchgate.e2e.upstream;

import org.jspecify.annotations.NullMarked;
