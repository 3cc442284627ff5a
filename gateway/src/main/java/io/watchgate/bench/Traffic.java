package io.watchgate.bench;

/**
 * What has arrived at readers.
 *
 * @param deliveries changes, each at each reader
 * @param responses messages of gRPC, or lines of a watch
 * @param bytes of these
 * @param snapshotObjects objects in snapshots
 */
record Traffic(long deliveries, long responses, long bytes, long snapshotObjects) {
  static final Traffic NONE = new Traffic(0, 0, 0, 0);

  Traffic plus(Traffic other) {
    return new Traffic(
        deliveries + other.deliveries,
        responses + other.responses,
        bytes + other.bytes,
        snapshotObjects + other.snapshotObjects);
  }

  Traffic minus(Traffic earlier) {
    return new Traffic(
        deliveries - earlier.deliveries,
        responses - earlier.responses,
        bytes - earlier.bytes,
        snapshotObjects - earlier.snapshotObjects);
  }
}
