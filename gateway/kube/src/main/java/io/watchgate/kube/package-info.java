/**
 * Client of the kube-apiserver: its configuration ({@link io.watchgate.kube.Kubeconfig}, {@link
 * io.watchgate.kube.InClusterConfig}), its types ({@link io.watchgate.kube.KubeCluster}), and the
 * list-watch of each type (an {@link io.watchgate.cache.Upstream}). Every failure gets a class and
 * a message for a person, and nothing else: backoff, retries and new lists are the reflector's.
 *
 * <p><b>Threads.</b> A call runs and reports on the thread that makes it. Each cluster has one
 * timer thread, which ends calls. Discovery and each definition are read on at most one virtual
 * thread each, at most four definitions at a time. OkHttp has one thread per connection, and an
 * exec plugin three while it runs. All end with {@link io.watchgate.kube.KubeCluster#close}, which
 * ends every call as well.
 *
 * <p><b>Waiting.</b> No caller waits for cached values: discovery, definitions and credentials are
 * refreshed in the background ({@link io.watchgate.kube.RefreshedValue}), and no lock is held while
 * the apiserver or a plugin is asked. For an unknown name a caller waits for at most 5 s.
 *
 * <p><b>Connections.</b> Each type has one connection, with HTTP/1.1 a second one beside the watch
 * for other requests, and discovery has one. On a shared HTTP/2 connection, a list would delay
 * watches, and all watches would end together. After a failed call its connection is no longer
 * used, since a balancer may have a better apiserver behind the next. A connection that dies
 * without an error is detected by HTTP/2 pings, with TLS or, if the server speaks it, without. On
 * HTTP/1.1 the kernel's keepalive probes cover the path up to the next proxy, and missing bookmarks
 * the rest. Over HTTP/1.1 a watch of a type without bookmarks (events) ends after the idle timeout
 * of {@link io.watchgate.kube.WatchTimeouts}, although it may be quiet: a watch that a proxy has
 * lost looks the same.
 *
 * <p><b>Credentials.</b> Rotated credentials are reloaded: a token file, certificates, keys and
 * authorities are read again, and an exec plugin is run again shortly before its credential expires
 * and after a 401. The next request uses the new ones, if need be over a new connection; an open
 * watch is never closed for it (see {@link io.watchgate.kube.ReloadingHttpClient}). If new
 * credentials are incomplete or unavailable, the old ones stay in use while they are valid.
 *
 * <p><b>Bounds.</b> Every phase of a call has a time limit: connecting, the first byte of an
 * answer, a page, the silence of a watch, its duration. At most one object of an answer is in
 * memory, of limited size after decompression. Ahead of a busy reader a connection receives about
 * 64 KiB more ({@code ReceiveWindow}), although OkHttp's own window is 16 MiB. Of an error 64 KiB
 * are read, and 300 characters quoted. An exec plugin may run for a minute and print 1 MiB; 50
 * lines of its stderr are logged. Bodies that may be objects are never quoted, nor are tokens.
 *
 * <p><b>Rejected.</b> The well-known Java clients: they weigh 20 to 43 MB, do not notice rotated
 * credentials, return trees in place of bytes, and retry by rules of their own.
 */
@NullMarked
package io.watchgate.kube;

import org.jspecify.annotations.NullMarked;
