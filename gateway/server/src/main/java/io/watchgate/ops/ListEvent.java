package io.watchgate.ops;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** Flight-recorder event of a list of the apiserver. */
@Name("io.watchgate.List")
@Label("List")
@Category({"Watchgate", "Apiserver"})
@Description("A type was listed at the apiserver, the first time or again, and published")
@StackTrace(false)
@Threshold("0 ms")
final class ListEvent extends Event {
  @Label("Type")
  String type = "";

  @Label("Reason")
  @Description("The label of watchgate_lists_total")
  String reason = "";

  @Label("Objects")
  int objects;
}
