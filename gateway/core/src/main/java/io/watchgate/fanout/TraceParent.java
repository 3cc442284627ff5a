package io.watchgate.fanout;

import java.util.Iterator;
import java.util.regex.Pattern;

/**
 * Header {@code traceparent} of W3C Trace Context, by which a caller names the trace that its call
 * belongs to. It is only passed on, to the audit log and to pages, so that an operator finds a
 * call.
 */
public final class TraceParent {
  /** Name of the header. */
  public static final String HEADER = "traceparent";

  /** Characters of a value. Later versions than 00 may have more after a dash. */
  private static final int LENGTH = 55;

  private static final Pattern FORM =
      Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  private TraceParent() {}

  /**
   * Returns the value of a call.
   *
   * @param values all values of the header
   * @return 55 characters; empty if there is none, or several, or one that is not valid
   */
  public static String of(Iterable<String> values) {
    Iterator<String> all = values.iterator();
    if (!all.hasNext()) {
      return "";
    }
    String value = all.next();
    if (all.hasNext() || value.length() < LENGTH) {
      return "";
    }
    boolean hasMore = value.length() > LENGTH;
    if (hasMore && (value.startsWith("00") || value.charAt(LENGTH) != '-')) {
      return "";
    }
    String kept = value.substring(0, LENGTH);
    return FORM.matcher(kept).matches() ? kept : "";
  }
}
