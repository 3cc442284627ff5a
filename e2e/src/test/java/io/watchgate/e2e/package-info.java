/**
 * End-to-end tests: a real kube-apiserver, the gateway in this JVM, clients in several languages.
 *
 * <p>Artifacts built for the tests (programs of Kubernetes, packages of Python and Node) are kept
 * in {@code .cache} at the root of the repository, so that {@code mvn clean} does not cost minutes.
 * A missing tool skips the tests that need it, and the last lines of the build name it; with {@code
 * CI=true} it fails them.
 */
@NullMarked
package io.watchgate.e2e;

import org.jspecify.annotations.NullMarked;
