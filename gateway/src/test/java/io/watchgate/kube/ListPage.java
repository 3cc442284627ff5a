package io.watchgate.kube;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Pages of a list of pods, in the format of a real apiserver. */
final class ListPage {
  private ListPage() {}

  /**
   * Returns the pods {@code p<from>} to {@code p<to - 1>}; an empty token makes it the last page.
   */
  static String of(String version, String token, int from, int to) {
    String items =
        IntStream.range(from, to)
            .mapToObj(i -> "{\"metadata\":" + metadata(i) + "}")
            .collect(Collectors.joining(","));
    return """
    {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%s","continue":"%s",\
    "remainingItemCount":1},"items":[%s]}
    """
        .formatted(version, token, items);
  }

  /** Returns such a pod as the cache gets it. */
  static String pod(int number) {
    return "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":" + metadata(number) + "}";
  }

  private static String metadata(int number) {
    return "{\"name\":\"p%d\",\"namespace\":\"a\",\"uid\":\"u%d\",\"resourceVersion\":\"1\"}"
        .formatted(number, number);
  }
}
