package io.watchgate.e2e.promises;

import io.watchgate.check.Promise;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Check that must detect a {@link Mutation}. */
sealed interface Detection {
  Pattern LINE =
      Pattern.compile(
          "^(Breaks|Breaks over HTTP|Breaks over replicas|Noticed by): (\\S+)$", Pattern.MULTILINE);

  /** Judged clients. */
  enum Clients {
    /** Streams of {@code ListAndWatch}. */
    GRPC,
    /** Lists and watches of the Kubernetes read API. */
    HTTP
  }

  /** The judge must detect the broken promise at one gateway whose connections break. */
  record AtOne(Promise broken, Clients clients) implements Detection {}

  /** The judge must detect the broken promise with streams that move between replicas. */
  record OverReplicas(Promise broken) implements Detection {}

  /** A test must fail, for a defect that hides the truth from the judge. */
  record ByTest(NamedTest test) implements Detection {}

  /** Parses the line of a patch that names its check. */
  static Detection read(String patch) {
    Matcher found = LINE.matcher(patch);
    if (!found.find()) {
      throw new IllegalArgumentException("a patch has no line like " + LINE);
    }
    String who = found.group(2);
    return switch (found.group(1)) {
      case "Breaks" -> new AtOne(Promise.valueOf(who), Clients.GRPC);
      case "Breaks over HTTP" -> new AtOne(Promise.valueOf(who), Clients.HTTP);
      case "Breaks over replicas" -> new OverReplicas(Promise.valueOf(who));
      default -> new ByTest(new NamedTest(who));
    };
  }
}
