/**
 * Benchmark of the packages for Go, Python and Node against the official clients of the same
 * languages, on one real kube-apiserver.
 *
 * <p><b>Idea.</b> {@link io.watchgate.e2e.packages.PackagesBenchmark} lets each client hold the
 * same pods in a separate process, which does nothing else than count events. The processes are
 * measured by the operating system, with the classes of {@code informers}.
 *
 * <p><b>Same conditions.</b> Both clients of a pair use TLS and the same runtime, read whole pods
 * of all namespaces, parse each object, and are synced once they have told of every pod. Each has
 * the form of objects that its users get: structs of {@code k8s.io/api} in Go, parsed JSON in Node
 * and in our package for Python, {@code V1Pod} in the official client for Python. The official
 * client for Go reads protobuf by default; a further column has it with JSON. The gateway runs only
 * while its clients are measured.
 */
@NullMarked
package io.watchgate.e2e.packages;

import org.jspecify.annotations.NullMarked;
