/**
 * A real kube-apiserver with its etcd, as one process on this machine, for tests.
 *
 * <p>A test class with {@link io.watchgate.e2e.apiserver.WithApiserver} takes an {@link
 * io.watchgate.e2e.apiserver.Apiserver} as a parameter: one for the whole run, which nobody
 * restarts and where every test makes namespaces of its own. A parameter with {@link
 * io.watchgate.e2e.apiserver.OwnApiserver} is a server of the test's own, to be stopped, killed and
 * compacted, which takes about three seconds to start.
 *
 * <p>The process ends with the tests, and, since it ends with its standard input, also when the JVM
 * is killed. Not chosen: a container (needs a daemon that many machines do not have), downloaded
 * binaries (need a host beside the package registries).
 */
@NullMarked
package io.watchgate.e2e.apiserver;

import org.jspecify.annotations.NullMarked;
