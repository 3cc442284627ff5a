package io.watchgate.ops;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Flight-recorder event of a stream that was opened. */
@Name("io.watchgate.StreamOpened")
@Label("Stream Opened")
@Category({"Watchgate", "Streams"})
@Description("A stream, or a watch that is answered from a cache, was opened")
@StackTrace(false)
final class StreamOpenedEvent extends StreamEvent {}
