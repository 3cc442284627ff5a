/**
 * The Kubernetes read protocol over HTTP: discovery, get, list and watch, answered from {@link
 * io.watchgate.cache.WatchCache}s as a kube-apiserver 1.36 answers, so that kubectl and existing
 * informers can be pointed at it unchanged. Where the objects come from is a {@link
 * io.watchgate.http.ResourceCatalog}'s matter; what is not a read goes to {@link
 * io.watchgate.http.WriteBackend} if there is one, and is refused otherwise. Nothing here knows who
 * owns the objects.
 *
 * <p>{@link io.watchgate.http.HttpServer} is the transport, {@code ApiHandler} and {@code
 * ResourceHandler} find what answers a request. {@code ListOptions} are what lists and watches have
 * in common. {@code ListHandler} sends a page of a {@link io.watchgate.cache.Revision}'s state;
 * {@code HttpWatch} follows the chain of revisions from one, found by {@code HttpWatchStart}. How
 * an object is written, as it is, as its metadata or as the row of a table, is an {@code
 * ObjectEncoder}'s matter. Bytes of objects are passed on; no tree is built of them but for the
 * cells of a table.
 *
 * <p><b>Threads.</b> A request runs on a virtual thread of its own, which may block: for a version
 * that is not held yet, or for a client that reads a list slowly. A watch gives it back once its
 * start is found. Then it belongs to a {@code WatchLoop}, one thread for many watches, and writes
 * without blocking: it does nothing while a write is under way, and nothing while there is no news.
 * A cache that has news raises one flag per loop.
 *
 * <p><b>Bounds.</b> A watch holds its place in the chain, and while it writes at most 64 KiB unless
 * one object is larger. One that falls out of history, or keeps more alive than {@link
 * io.watchgate.cache.WatchCache#mayStandOn} allows, ends cleanly, as at an apiserver; a list that
 * is read so slowly is cut. Of a list 128 KiB are held back at most. There are so many watches, and
 * so many bytes in the body of a request, as {@link io.watchgate.http.HttpSettings} allow; headers
 * have 64 KiB. What does not move for {@code idleTimeout} is closed, be it a request that does not
 * arrive or a response that is not read.
 *
 * <p><b>Rejected.</b> The JDK's server: no HTTP/2, which client-go's informers share a connection
 * by. Servlets: their start costs more than the rest of the server. A thread for each watch, even a
 * virtual one: most watches say nothing most of the time, and a stack costs more than a place in a
 * chain. Protobuf and CBOR: custom resources have no protobuf, and clients that prefer either
 * accept JSON. To go on over a gap by its net effect, as the gateway's own protocol does: a watch
 * has no words for that, and an apiserver ends its watches there as well.
 */
@NullMarked
package io.watchgate.http;

import org.jspecify.annotations.NullMarked;
