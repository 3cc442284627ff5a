package io.watchgate.ops;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import jdk.jfr.Unsigned;

/** Flight-recorder event of a stream that ended. */
@Name("io.watchgate.StreamEnded")
@Label("Stream Ended")
@Category({"Watchgate", "Streams"})
@Description("A stream, or a watch that was answered from a cache, ended")
@StackTrace(false)
final class StreamEndedEvent extends StreamEvent {
  @Label("Reason")
  @Description("The label of watchgate_streams_ended_total: the reason that was sent, or a side")
  String reason = "";

  @Label("Lasted")
  @Description("Time from the arrival of the call to the end")
  @Timespan(Timespan.NANOSECONDS)
  long lasted;

  @Label("Events Sent")
  @Unsigned
  long events;

  @Label("Bytes Sent")
  @Description("Bytes of all responses")
  @DataAmount
  long bytes;
}
