/**
 * Access from browsers, on the HTTP server of the Kubernetes read API: watches as server-sent
 * events, {@code GET /v1/watch}, and the methods of the contract by gRPC-Web.
 *
 * <p>A watch from a browser is a call of {@code ListAndWatch} with another transport. {@link
 * io.watchgate.browser.BrowserHandler} reads the request, {@code WatchParameters} makes the message
 * of the contract from it, and {@link io.watchgate.grpc.CallStarter} starts the handler that serves
 * gRPC. So selections, tokens, limits, authentication, audit, metrics, drains and slow readers are
 * those of gRPC, by the same code. {@code EventStreamOutput} is the output: {@code
 * EventStreamFormat} converts each response to text, and {@link io.watchgate.http.StreamedResponse}
 * writes it.
 *
 * <p>By gRPC-Web a client calls the three methods by their names. {@code GrpcWebRequest} reads the
 * message from the body, and {@code GrpcWebOutput} writes frames; there is no other difference.
 *
 * <p><b>Resuming.</b> The {@code id} of an event is the resume token, on the last event of a
 * response with a token. A browser sends it back by itself, as {@code Last-Event-ID}, so it resumes
 * on any replica without a line of the page. The status decides what an {@code EventSource} does
 * next: it connects again after 200, and stops after any other. So a client that may resume always
 * gets status 200 and an event {@code problem}.
 *
 * <p><b>Threads.</b> A call runs on an event loop of gRPC, to which its output is confined. The
 * HTTP server's threads only hand over events.
 *
 * <p><b>Bounds.</b> The number of calls ({@link io.watchgate.browser.BrowserSettings}). One
 * response at a time is converted, and nothing is converted while a write is in progress; so a
 * reader that does not read costs one response, which the fan-out counts as for any slow reader. A
 * write without progress for the idle timeout of the HTTP server ends the stream, as does a body
 * that does not arrive; at most 64 KiB of a body are kept, and as many bodies at a time as there
 * may be calls. The rest of a body that is refused, at most 16 MiB, is read and discarded, so that
 * its client gets the answer.
 *
 * <p><b>Rejected.</b> A subscription of its own for each reader: limits, audit and drains would
 * have been written twice, and would have differed. WebSocket: it needs a client library for
 * resuming, and proxies treat it apart.
 */
@NullMarked
package io.watchgate.browser;

import org.jspecify.annotations.NullMarked;
