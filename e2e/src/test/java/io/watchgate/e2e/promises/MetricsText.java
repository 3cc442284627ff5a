package io.watchgate.e2e.promises;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of metrics. */
record MetricsText(String page) {
  /** The sum of a metric over all its lines that have {@code label}; 0 if there is none. */
  double sum(String name, String label) {
    Matcher lines =
        Pattern.compile("^" + name + "(?:\\{(.*)})? (\\S+)$", Pattern.MULTILINE).matcher(page);
    double sum = 0;
    while (lines.find()) {
      if (String.valueOf(lines.group(1)).contains(label)) {
        sum += Double.parseDouble(lines.group(2));
      }
    }
    return sum;
  }

  double sum(String name) {
    return sum(name, "");
  }

  /** How often that was counted. */
  double count(Sign sign) {
    return sum(sign.metric(), sign.labels());
  }
}
