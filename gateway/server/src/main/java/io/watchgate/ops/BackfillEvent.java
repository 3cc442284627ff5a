package io.watchgate.ops;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** Flight-recorder event of a backfill. */
@Name("io.watchgate.Backfill")
@Label("Backfill")
@Category({"Watchgate", "Apiserver"})
@Description("Revisions before the oldest in history were fetched from the apiserver")
@StackTrace(false)
@Threshold("0 ms")
final class BackfillEvent extends Event {
  @Label("Type")
  String type = "";

  @Label("Outcome")
  @Description("The label of watchgate_backfills_total")
  String outcome = "";
}
