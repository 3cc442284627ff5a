package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Gauges of the number of streams, of connections, of request and response memory, and their
 * limits; and of the replicas among which streams are balanced.
 */
public final class StreamGauges {
  private StreamGauges() {}

  /**
   * Registers the gauges of streams; they are read when metrics are scraped.
   *
   * @param limit maximum number of all streams
   * @param clientLimit maximum number of the streams of one client
   * @param streams number of streams that count towards the limit now
   * @param mostOfOneClient streams of the client that has most
   */
  public static void register(
      PrometheusRegistry registry,
      IntSupplier limit,
      IntSupplier clientLimit,
      IntSupplier streams,
      IntSupplier mostOfOneClient) {
    MetricFactory metrics = new MetricFactory(registry);
    metrics.readGauge("watchgate_streams_limit", "Maximum number of streams", limit::getAsInt);
    metrics.readGauge(
        "watchgate_client_streams_limit",
        "Maximum number of streams of one client",
        clientLimit::getAsInt);
    metrics.readGauge(
        "watchgate_stream_slots",
        "Slots of the stream limit in use: streams open, being opened or ending; bounded by"
            + " watchgate_streams_limit",
        streams::getAsInt);
    metrics.readGauge(
        "watchgate_client_streams_max",
        "Slots of the client with the most streams; bounded by watchgate_client_streams_limit",
        mostOfOneClient::getAsInt);
  }

  /**
   * Registers the gauges of incomplete requests.
   *
   * @param limit in bytes
   * @param bytes present bytes of these requests
   */
  public static void registerRequests(
      PrometheusRegistry registry, LongSupplier limit, LongSupplier bytes) {
    MetricFactory metrics = new MetricFactory(registry);
    metrics.readGauge(
        "watchgate_incomplete_request_bytes",
        "Bytes of requests that clients began to send and did not complete; bounded by"
            + " watchgate_incomplete_request_bytes_limit",
        bytes::getAsLong);
    metrics.readGauge(
        "watchgate_incomplete_request_bytes_limit",
        "Maximum of the bytes of incomplete requests",
        limit::getAsLong);
  }

  /**
   * Registers the metrics of client connections.
   *
   * @param open number of connections now
   * @param paused number of these from which nothing is read
   * @param reset number of connections closed so far for streams that were reset before a response
   * @param dead number of connections closed so far because keepalive pings were not answered
   * @param unread number of connections closed so far while they were paused
   */
  public static void registerConnections(
      PrometheusRegistry registry,
      LongSupplier open,
      LongSupplier paused,
      LongSupplier reset,
      LongSupplier dead,
      LongSupplier unread) {
    MetricFactory metrics = new MetricFactory(registry);
    metrics.readGauge("watchgate_connections", "Open gRPC connections of clients", open::getAsLong);
    metrics.readGauge(
        "watchgate_connections_paused",
        "Open gRPC connections from which nothing is read, because 1 MiB waits for their clients to"
            + " read it",
        paused::getAsLong);
    CounterWithCallback.builder()
        .name("watchgate_connections_closed")
        .help(
            "Connections of clients that the gateway closed; resets: too many streams were reset"
                + " before an answer; keepalive: no answer to pings; unread: the client read"
                + " nothing of what waits for it")
        .labelNames(MetricLabels.REASON)
        .callback(
            counter -> {
              counter.call((double) reset.getAsLong(), "resets");
              counter.call((double) dead.getAsLong(), "keepalive");
              counter.call((double) unread.getAsLong(), "unread");
            })
        .register(registry);
  }

  /**
   * Registers the gauges of the streams of browsers.
   *
   * @param limit maximum number of these streams
   * @param streams number of streams that count towards the limit now
   */
  public static void registerBrowsers(
      PrometheusRegistry registry, IntSupplier limit, IntSupplier streams, IntSupplier bodies) {
    MetricFactory metrics = new MetricFactory(registry);
    metrics.readGauge(
        "watchgate_browser_bodies",
        "Requests by gRPC-Web whose body is being read; bounded by"
            + " watchgate_browser_streams_limit",
        bodies::getAsInt);
    metrics.readGauge(
        "watchgate_browser_streams",
        "Streams and calls of browsers that are open, being opened or ending; bounded by"
            + " watchgate_browser_streams_limit",
        streams::getAsInt);
    metrics.readGauge(
        "watchgate_browser_streams_limit",
        "Maximum number of streams and calls of browsers",
        limit::getAsInt);
  }

  /**
   * Registers the counters of the lane.
   *
   * @param lane responses that a stream sent by the lane
   * @param group responses that were sent by the lane to the streams of a group together
   * @param grpc responses that were sent by gRPC, of streams with a lane or without
   * @param connections connections on which the lane could not be installed
   */
  public static void registerLane(
      PrometheusRegistry registry,
      LongSupplier lane,
      LongSupplier group,
      LongSupplier grpc,
      LongSupplier connections) {
    CounterWithCallback.builder()
        .name("watchgate_lane_responses")
        .help(
            "Responses of streams over gRPC; lane: written as DATA frames by the gateway; group:"
                + " the same, for all streams of a group together; grpc: sent by gRPC, because the"
                + " lane did not take them or the stream has none")
        .labelNames(MetricLabels.WAY)
        .callback(
            counter -> {
              counter.call((double) lane.getAsLong(), "lane");
              counter.call((double) group.getAsLong(), "group");
              counter.call((double) grpc.getAsLong(), "grpc");
            })
        .register(registry);
    CounterWithCallback.builder()
        .name("watchgate_connections_without_lane")
        .help("Connections whose responses are all sent by gRPC: the lane could not be installed")
        .callback(counter -> counter.call((double) connections.getAsLong()))
        .register(registry);
  }

  /**
   * Registers the gauges of answers over the Kubernetes API.
   *
   * @param limit in bytes
   * @param bytes heap in bytes that these answers take now
   */
  public static void registerAnswers(
      PrometheusRegistry registry, LongSupplier limit, LongSupplier bytes) {
    MetricFactory metrics = new MetricFactory(registry);
    metrics.readGauge(
        "watchgate_kube_answer_bytes",
        "Bytes of heap for lists and gets over the Kubernetes API that are being sent; bounded by"
            + " watchgate_kube_answer_bytes_limit",
        bytes::getAsLong);
    metrics.readGauge(
        "watchgate_kube_answer_bytes_limit",
        "Maximum of the bytes of heap for lists and gets over the Kubernetes API that are being"
            + " sent",
        limit::getAsLong);
  }

  /**
   * Registers the gauges of unread responses.
   *
   * @param limit in bytes
   * @param bytes present bytes of these responses
   */
  public static void registerResponses(
      PrometheusRegistry registry, LongSupplier limit, LongSupplier bytes) {
    MetricFactory metrics = new MetricFactory(registry);
    metrics.readGauge(
        "watchgate_pending_response_bytes",
        "Bytes of unary responses that clients have not read yet; bounded by"
            + " watchgate_pending_response_bytes_limit",
        bytes::getAsLong);
    metrics.readGauge(
        "watchgate_pending_response_bytes_limit",
        "Maximum of the bytes of unary responses that clients have not read yet",
        limit::getAsLong);
  }

  /** Registers the gauge of the replicas that this replica knows. */
  public static void registerReplicas(PrometheusRegistry registry, IntSupplier replicas) {
    new MetricFactory(registry)
        .readGauge(
            "watchgate_replicas",
            "Replicas among which streams are balanced, this one included, as this one sees them",
            replicas::getAsInt);
  }
}
