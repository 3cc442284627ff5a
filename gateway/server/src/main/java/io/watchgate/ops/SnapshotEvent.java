package io.watchgate.ops;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/**
 * Flight-recorder event of a snapshot that was handed to the transport completely. The threshold
 * leaves out small snapshots, of which thousands of clients get one each when they reconnect.
 */
@Name("io.watchgate.Snapshot")
@Label("Snapshot")
@Category({"Watchgate", "Streams"})
@Description("All objects of a selection were sent to a stream")
@StackTrace(false)
@Threshold("1 ms")
final class SnapshotEvent extends StreamEvent {
  @Label("Reason")
  String reason = "";

  @Label("Objects")
  long objects;

  @Label("Bytes")
  @DataAmount
  long bytes;
}
