/**
 * Real kube-apiserver with its etcd, as one local process, for tests.
 *
 * <p>A test class with {@link io.watchgate.e2e.apiserver.WithApiserver} takes an {@link
 * io.watchgate.e2e.apiserver.Apiserver} as a parameter: one server for the entire run, which is
 * never restarted; every test creates its own namespaces, and a class that is sensitive to writes
 * of others is a {@link io.watchgate.e2e.apiserver.WithSharedApiserver}. A parameter with {@link
 * io.watchgate.e2e.apiserver.OwnApiserver} is a separate server that the test may stop, kill and
 * compact; it takes about three seconds to start.
 *
 * <p>The process ends with the tests. Since it ends with its standard input, it also ends if the
 * JVM is killed. Rejected: a container (needs a daemon that many machines do not have); downloaded
 * binaries (need another host besides the package registries).
 */
@NullMarked
package io.watchgate.e2e.apiserver;

import org.jspecify.annotations.NullMarked;
