package io.watchgate.bench;

/**
 * Counters of the data that readers received.
 *
 * @param deliveries changes, counted once per reader
 * @param responses gRPC messages, or lines of a watch
 * @param bytes size of these responses
 * @param snapshotObjects objects in snapshots
 */
record DeliveryCounts(long deliveries, long responses, long bytes, long snapshotObjects) {
  static final DeliveryCounts NONE = new DeliveryCounts(0, 0, 0, 0);

  DeliveryCounts plus(DeliveryCounts other) {
    return new DeliveryCounts(
        deliveries + other.deliveries,
        responses + other.responses,
        bytes + other.bytes,
        snapshotObjects + other.snapshotObjects);
  }

  DeliveryCounts minus(DeliveryCounts earlier) {
    return new DeliveryCounts(
        deliveries - earlier.deliveries,
        responses - earlier.responses,
        bytes - earlier.bytes,
        snapshotObjects - earlier.snapshotObjects);
  }
}
