package io.watchgate.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.watchgate.encode.ByteSlices;
import io.watchgate.error.ApiError;
import io.watchgate.error.LimitErrors;
import io.watchgate.fanout.TraceParent;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Entry point of the service for calls that arrive over HTTP: server-sent events and gRPC-Web. Such
 * a call differs from a call over gRPC only by its transport, so it gets the same handlers, limits,
 * authentication and audit. Calls of browsers also have a limit of their own. Thread-safe.
 */
public final class CallStarter {
  /** Bytes of the message of a request; above it the request is refused with a reason. */
  public static final int MAX_REQUEST_BYTES = RequestLimits.MAX_REQUEST_BYTES;

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private static final Metadata.Key<String> TRACEPARENT =
      Metadata.Key.of(TraceParent.HEADER, Metadata.ASCII_STRING_MARSHALLER);

  private final ServerServiceDefinition service;
  private final ServerCallHandler<RequestParseResult<ListAndWatchRequest>, ByteSlices> watches;
  private final CallRefusals refusals;
  private final List<EventLoop> loops;
  private final int limit;
  private final Semaphore free;
  private final AtomicInteger started = new AtomicInteger();

  /** Function that records a call which is refused before its handler gets it. */
  interface CallRefusals {
    void refuse(HttpServerCall<?, ?> call, ApiError refusal);
  }

  /**
   * @param loops event loops of the service
   * @param limit maximum number of calls at a time
   */
  CallStarter(
      ServerServiceDefinition service,
      ServerCallHandler<RequestParseResult<ListAndWatchRequest>, ByteSlices> watches,
      CallRefusals refusals,
      List<EventLoop> loops,
      int limit) {
    this.service = service;
    this.watches = watches;
    this.refusals = refusals;
    this.loops = loops;
    this.limit = limit;
    this.free = new Semaphore(limit);
  }

  /**
   * Returns the headers of a call, which are dropped once it is started.
   *
   * @param authorization values of the header of that name
   * @param traceparent values of the header of that name
   */
  public static Metadata headers(List<String> authorization, List<String> traceparent) {
    Metadata headers = new Metadata();
    authorization.forEach(value -> headers.put(AUTHORIZATION, value));
    traceparent.forEach(value -> headers.put(TRACEPARENT, value));
    return headers;
  }

  /** Starts a watch. */
  public void watch(
      ListAndWatchRequest request, HttpClientInfo client, Metadata headers, CallOutput output) {
    start(
        ServerMethodDefinition.create(WatchMethods.LIST_AND_WATCH, watches),
        new RequestParseResult.Message<>(request),
        client,
        headers,
        output);
  }

  /** Starts a watch whose request is wrong, so that its refusal is counted and audited. */
  public void refuseWatch(
      ApiError refusal, HttpClientInfo client, Metadata headers, CallOutput output) {
    start(
        ServerMethodDefinition.create(WatchMethods.LIST_AND_WATCH, watches),
        new RequestParseResult.Unreadable<>(refusal),
        client,
        headers,
        output);
  }

  /**
   * Starts a call of a method by name.
   *
   * @param name full name: {@code watchgate.v1.WatchService/ListObjects}
   * @param request encoded message
   * @return false if there is no such method
   */
  public boolean call(
      String name,
      InputStream request,
      HttpClientInfo client,
      Metadata headers,
      CallOutput output) {
    ServerMethodDefinition<?, ?> method = service.getMethod(name);
    if (method == null) {
      return false;
    }
    parseAndStart(method, request, client, headers, output);
    return true;
  }

  private <Q, A> void parseAndStart(
      ServerMethodDefinition<Q, A> method,
      InputStream request,
      HttpClientInfo client,
      Metadata headers,
      CallOutput output) {
    start(method, method.getMethodDescriptor().parseRequest(request), client, headers, output);
  }

  private <Q, A> void start(
      ServerMethodDefinition<Q, A> method,
      Q request,
      HttpClientInfo client,
      Metadata headers,
      CallOutput output) {
    EventLoop loop = loops.get(Math.floorMod(started.getAndIncrement(), loops.size()));
    if (free.tryAcquire()) {
      new HttpServerCall<>(method.getMethodDescriptor(), loop, client, output, new OneRelease(free))
          .start(method.getServerCallHandler(), headers, request);
      return;
    }
    new HttpServerCall<>(method.getMethodDescriptor(), loop, client, output, () -> {})
        .start(
            (call, _) -> {
              refusals.refuse((HttpServerCall<?, ?>) call, LimitErrors.browserStreams(limit));
              return new io.grpc.ServerCall.Listener<>() {};
            },
            headers,
            request);
  }

  /** Release of a slot, once: a call may be released on its event loop, and after its end. */
  private static final class OneRelease implements Runnable {
    private final AtomicInteger left = new AtomicInteger(1);
    private final Semaphore free;

    OneRelease(Semaphore free) {
      this.free = free;
    }

    @Override
    public void run() {
      if (left.getAndSet(0) == 1) {
        free.release();
      }
    }
  }

  /** Waits until no call is open. Returns whether that happened in time. */
  boolean awaitIdle(Duration atMost) throws InterruptedException {
    if (!free.tryAcquire(limit, atMost.toNanos(), TimeUnit.NANOSECONDS)) {
      return false;
    }
    free.release(limit);
    return true;
  }

  /** Returns the number of calls that are open, being opened, or ending. */
  public int openCalls() {
    return limit - free.availablePermits();
  }
}
