package io.watchgate.ops;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Flight-recorder event of a re-check of a user's permission. */
@Name("io.watchgate.Recheck")
@Label("Recheck")
@Category({"Watchgate", "Access"})
@Description("The permission of open streams was checked again")
@StackTrace(false)
final class RecheckEvent extends Event {
  @Label("User")
  String user = "";

  @Label("Outcome")
  @Description("The label of watchgate_grant_rechecks_total; no: the streams were ended")
  String outcome = "";
}
