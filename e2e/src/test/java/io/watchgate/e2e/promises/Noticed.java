package io.watchgate.e2e.promises;

import io.watchgate.check.Promise;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Who has to find a {@link Mutation} out. */
sealed interface Noticed {
  Pattern LINE =
      Pattern.compile("^(Breaks|Breaks over replicas|Noticed by): (\\S+)$", Pattern.MULTILINE);

  /** The judge, who finds a promise broken by one gateway whose connections break. */
  record AtOne(Promise broken) implements Noticed {}

  /** The judge, who finds it broken where streams go from one replica to another. */
  record OverReplicas(Promise broken) implements Noticed {}

  /** A test, which fails: for what would keep the judge from knowing what really happened. */
  record ByTest(NamedTest test) implements Noticed {}

  /** As the one line of a patch says it. */
  static Noticed read(String patch) {
    Matcher found = LINE.matcher(patch);
    if (!found.find()) {
      throw new IllegalArgumentException("a patch has no line like " + LINE);
    }
    String who = found.group(2);
    return switch (found.group(1)) {
      case "Breaks" -> new AtOne(Promise.valueOf(who));
      case "Breaks over replicas" -> new OverReplicas(Promise.valueOf(who));
      default -> new ByTest(new NamedTest(who));
    };
  }
}
