/**
 * End-to-end tests: a real kube-apiserver, the gateway in this JVM, clients in several languages.
 *
 * <p>Fixtures: {@code apiserver} and {@code kube} (a real apiserver, and direct access to it),
 * {@code proxy} (faults of connections and answers), {@code program} (processes). {@code promises}
 * judges gateways under faults, and {@code differential} compares them with the apiserver; {@code
 * faults}, {@code heap}, {@code events} and {@code access} test single cases; {@code clients},
 * {@code sdk}, {@code unmodified} and {@code service} test with clients, {@code sandbox}, {@code
 * patch}, {@code schema}, {@code table} and {@code upstream} compare single parts with the
 * apiserver; {@code launcher}, {@code deploy} and {@code documents} test what users run and read;
 * {@code bench} and {@code informers} have the benchmarks.
 *
 * <p>Artifacts built for the tests (programs of Kubernetes, packages of Python and Node) are kept
 * in {@code .cache} at the root of the repository, so that {@code mvn clean} does not cost minutes.
 * A missing tool skips the tests that need it, and the last lines of the build name it; with {@code
 * CI=true} it fails them.
 */
@NullMarked
package io.watchgate.e2e;

import org.jspecify.annotations.NullMarked;
