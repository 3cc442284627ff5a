package io.watchgate.e2e.promises;

/** Metric that the gateway counts because of a fault. */
enum FaultMetric {
  /** No metric. */
  NONE("", ""),
  TRANSPORT("watchgate_watch_ends_total", "transport"),
  EXPIRED("watchgate_watch_ends_total", "expired"),
  THROTTLED("watchgate_watch_ends_total", "throttled"),
  SERVER_ERROR("watchgate_watch_ends_total", "servererror"),
  UNAUTHORIZED("watchgate_watch_ends_total", "unauthorized"),
  FORBIDDEN("watchgate_watch_ends_total", "forbidden"),
  TYPE_GONE("watchgate_watch_ends_total", "typegone"),
  MALFORMED("watchgate_watch_ends_total", "malformed"),
  ORDER("watchgate_watch_ends_total", "order"),
  ROLLBACK("watchgate_watch_ends_total", "rollback"),
  UNSUPPORTED("watchgate_watch_ends_total", "unsupported"),
  PAUSED("watchgate_process_pauses_total", ""),
  RELIST("watchgate_lists_total", "expired"),
  SKIPPED("watchgate_skipped_objects_total", ""),
  /** A list for any reason. */
  LIST("watchgate_lists_total", ""),
  DUPLICATE("watchgate_duplicate_events_total", "");

  private final String metric;
  private final String reason;

  FaultMetric(String metric, String reason) {
    this.metric = metric;
    this.reason = reason;
  }

  /** Returns the counter. */
  String metric() {
    return metric;
  }

  /** Returns a part of its labels; empty: any. */
  String labels() {
    return reason.isEmpty() ? "" : "reason=\"" + reason + "\"";
  }
}
