/**
 * Everything that speaks to the kube-apiserver: how to reach it ({@link
 * io.watchgate.kube.Kubeconfig}, {@link io.watchgate.kube.InClusterConfig}), which types it has
 * ({@link io.watchgate.kube.KubeCluster}), and the list-watch of each (an {@link
 * io.watchgate.cache.Upstream}). It gives every failure a class and a sentence for a person, and
 * does nothing else about it: waiting, repeating and listing anew are the reflector's.
 *
 * <p><b>Threads.</b> A call runs and reports on the thread that makes it. Each cluster has one
 * clock, which ends calls, and virtual threads while discovery and definitions are read: one for
 * each of them at most, of which four read definitions at a time. OkHttp has one thread for each
 * connection, and an exec plugin three while it runs. All end with {@link
 * io.watchgate.kube.KubeCluster#close}, which ends every call as well.
 *
 * <p><b>Waiting.</b> No caller waits for what is held: discovery, definitions and credentials are
 * refreshed aside ({@link io.watchgate.kube.RefreshedValue}), and no lock is held while the
 * apiserver or a plugin is asked. For a name that is not known a caller waits 5 s.
 *
 * <p><b>Connections.</b> One for each type, with HTTP/1.1 a second one beside the watch for what is
 * asked meanwhile, and one for discovery: on an HTTP/2 connection that they shared, a list would
 * hold up watches, and all would end together. A connection on which a call failed is left, since a
 * balancer may have a better apiserver behind the next. One that died in silence is noticed by
 * HTTP/2 pings, with TLS or, where the server speaks it, without. On HTTP/1.1 the kernel's probes
 * take their place as far as the next proxy, and missing bookmarks tell the rest; a type without
 * bookmarks (events) behind a proxy of HTTP/1.1 that lives on notices at the end of the time that
 * its watch was asked to last.
 *
 * <p><b>Credentials.</b> What others renew is renewed here: a token file, certificates, keys and
 * authorities are read anew, an exec plugin is run again shortly before its credential expires and
 * after a 401. The next request is made with what is new, if need be over a new connection; a watch
 * that runs is never cut for it (see {@link io.watchgate.kube.ReloadingHttpClient}). What is being
 * written, or cannot be had just now, leaves the old in use while that is good.
 *
 * <p><b>Bounds.</b> Every phase of a call has its time: connecting, the first sign of an answer, a
 * page, the silence of a watch, its length. Of an answer no more than one object is in memory, of
 * limited size after decompression, beside a window of 16 MiB that OkHttp may receive ahead of a
 * reader that is busy; of a refusal 64 KiB are read and 300 characters told. An exec plugin has a
 * minute and may print 1 MiB; of its stderr 50 lines are logged. Bodies that may be objects are
 * never quoted, nor are tokens.
 *
 * <p><b>Rejected.</b> The well-known Java clients: they weigh 20 to 43 MB, do not notice rotated
 * credentials, hand out trees in place of bytes, and retry by rules of their own.
 */
@NullMarked
package io.watchgate.kube;

import org.jspecify.annotations.NullMarked;
