/**
 * The Kubernetes read protocol over HTTP: get, list and watch, answered from {@link
 * io.watchgate.cache.WatchCache}s as a kube-apiserver 1.36 answers, so that kubectl and existing
 * informers can use it unchanged. Two servers use it. The sandbox serves a {@link
 * io.watchgate.http.ResourceCatalog} with discovery, and passes writes to a {@link
 * io.watchgate.http.WriteBackend}. The caching proxy of a gateway answers from the caches that its
 * other streams use, and passes every other read to a {@link io.watchgate.relay.Relay}.
 *
 * <p>{@link io.watchgate.http.HttpServer} is the transport. {@code SandboxRouter} and {@code
 * SandboxReadHandler} route requests to the sandbox; {@code ProxyRouter} and {@code ProxyHandler}
 * those to the proxy. Both read by {@code ResourceReads}: {@code ListOptions} are the common
 * parameters of lists and watches, {@code ListHandler} sends a page of a {@link
 * io.watchgate.cache.Revision}'s state, and a watch is a subscription of {@code fanout}. {@code
 * WatchEventFormat} is the wire format of its frames, and {@code HttpWatch} writes them. An {@code
 * ObjectEncoder} writes an object unchanged, as its metadata or as the row of a table. The bytes of
 * objects are passed on; only the cells of a table need a parsed tree.
 *
 * <p><b>What a proxy may answer.</b> A request is answered from a cache only if its path, every
 * parameter and the format are understood, if the apiserver allows the caller the access
 * (SubjectAccessReview), and if the cache has the requested version; without a version, only if the
 * apiserver has proven the state current since the request arrived. In every other case the request
 * is relayed with the caller's own token, over connections without any credential of the gateway.
 * So a wrong or missing answer here costs time, and never shows more than the apiserver would.
 *
 * <p><b>Threads.</b> A request runs on a virtual thread of its own, which may block: for a version
 * that is not cached yet, for a client that reads a list slowly, or for the answer of a relayed
 * request. A watch releases the thread once it is subscribed. Then it belongs to a {@code
 * HttpWatches.Loop}, one thread for many watches, which is also the event loop of its subscription.
 * It writes without blocking, one write at a time; while a write is in progress it is not ready,
 * and the fan-out sends it nothing.
 *
 * <p><b>Bounds.</b> Those of {@code fanout} hold for watches: what a slow reader pins, the bytes of
 * snapshots, the number of feeds. A watch whose client has fallen behind history, or for which
 * changes are missing because the gateway had to list again, ends with an ERROR of code 410: its
 * client lists again. Without the ERROR it would watch again from its version, and the apiserver
 * would serve that watch. A list whose reader has fallen behind history is aborted. At most 128 KiB
 * of a list are buffered. The number of watches and the bytes of a request body are limited by
 * {@link io.watchgate.http.HttpSettings}, and relayed requests by {@link
 * io.watchgate.http.ProxySettings}; headers have 64 KiB. A relayed body is streamed. A request that
 * does not arrive, or a response that is not read, is closed after {@code idleTimeout} without
 * progress.
 *
 * <p><b>Rejected.</b> The JDK's server: it has no HTTP/2, with which client-go's informers share a
 * connection. Servlets: their start costs more than the rest of the server. A thread for each
 * watch, even a virtual one: most watches are idle most of the time, and a stack costs more than a
 * pinned revision. A fan-out of its own for watches: it matched and encoded each change for each
 * watch. Protobuf and CBOR: custom resources have no protobuf, and clients that prefer either
 * accept JSON. Net effects across a gap, as in the gateway's own protocol: a watch cannot express
 * them. Impersonation of callers: the gateway would need the right to be everyone.
 */
@NullMarked
package io.watchgate.http;

import org.jspecify.annotations.NullMarked;
