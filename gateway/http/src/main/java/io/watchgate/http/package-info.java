/**
 * The Kubernetes read protocol over HTTP: discovery, get, list and watch, answered from {@link
 * io.watchgate.cache.WatchCache}s as a kube-apiserver 1.36 answers, so that kubectl and existing
 * informers can use it unchanged. A {@link io.watchgate.http.ResourceCatalog} provides the objects.
 * Writes are passed to {@link io.watchgate.http.WriteBackend} if there is one, and are refused
 * otherwise. This package does not depend on the origin of the objects.
 *
 * <p>{@link io.watchgate.http.HttpServer} is the transport; {@code ApiHandler} and {@code
 * ResourceHandler} route requests. {@code ListOptions} are the common parameters of lists and
 * watches. {@code ListHandler} sends a page of a {@link io.watchgate.cache.Revision}'s state.
 * {@code HttpWatch} follows the chain of revisions from a start found by {@code HttpWatchStart}. An
 * {@code ObjectEncoder} writes an object unchanged, as its metadata or as the row of a table. The
 * bytes of objects are passed on; only the cells of a table need a parsed tree.
 *
 * <p><b>Threads.</b> A request runs on a virtual thread of its own, which may block: for a version
 * that is not cached yet, or for a client that reads a list slowly. A watch releases the thread
 * once its start is found. Then the watch belongs to a {@code WatchLoop}, one thread for many
 * watches, and writes without blocking. It does nothing while a write is in progress, and nothing
 * while there are no changes. A change of a cache sets one flag per loop.
 *
 * <p><b>Bounds.</b> A watch pins one revision, and while it writes at most 64 KiB unless one object
 * is larger. A watch ends cleanly, as at an apiserver, if its revision was trimmed from history, or
 * if it keeps more alive than {@link io.watchgate.cache.WatchCache#canPin} allows. A list that is
 * read as slowly is aborted. At most 128 KiB of a list are buffered. The number of watches and the
 * bytes of a request body are limited by {@link io.watchgate.http.HttpSettings}; headers have 64
 * KiB. A request that does not arrive, or a response that is not read, is closed after {@code
 * idleTimeout} without progress.
 *
 * <p><b>Rejected.</b> The JDK's server: it has no HTTP/2, with which client-go's informers share a
 * connection. Servlets: their start costs more than the rest of the server. A thread for each
 * watch, even a virtual one: most watches are idle most of the time, and a stack costs more than a
 * pinned revision. Protobuf and CBOR: custom resources have no protobuf, and clients that prefer
 * either accept JSON. Net effects across a gap, as in the gateway's own protocol: a watch cannot
 * express them, and an apiserver ends its watches there as well.
 */
@NullMarked
package io.watchgate.http;

import org.jspecify.annotations.NullMarked;
