package io.watchgate.ops;

/** Names of the labels of metrics. Queries join metrics by these names. */
final class MetricLabels {
  /** Resource type with its group, as in {@code deployments.apps}. */
  static final String TYPE = "type";

  /** Version: of the API of a type, and of the gateway. */
  static final String VERSION = "version";

  /** Cause of an event, from a fixed set. */
  static final String REASON = "reason";

  /** Result of an attempt, from a fixed set. */
  static final String OUTCOME = "outcome";

  /** Means by which something was proven or sent. */
  static final String WAY = "way";

  /** Number of an event loop. */
  static final String EVENT_LOOP = "event_loop";

  /** Answer of the apiserver to a review. */
  static final String ANSWER = "answer";

  /** Verb of a request over the Kubernetes API. */
  static final String VERB = "verb";

  /** Component that answered a request over the Kubernetes API. */
  static final String SOURCE = "source";

  /** Part of the heap budget. */
  static final String PART = "part";

  /** Used bytes, or their limit. */
  static final String KIND = "kind";

  /** Area of the memory of the JVM. */
  static final String AREA = "area";

  /** Pool of buffers of the JVM. */
  static final String POOL = "pool";

  /** Version of Java. */
  static final String JDK = "jdk";

  /** Name of another metric. */
  static final String METRIC = "metric";

  private MetricLabels() {}
}
