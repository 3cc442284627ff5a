package io.watchgate.bench.compare;

import java.util.List;
import java.util.stream.Stream;

/**
 * One of those that are compared.
 *
 * @param server the command that serves, without addresses; empty: the apiserver itself is measured
 * @param load options of {@code bench}
 * @param alone the side that measures alone what is then not counted here; empty: all counts
 * @param wire how subscribers reach the server, where that is not compared with a kube-apiserver
 */
public record Side(String name, List<String> server, List<String> load, String alone, Wire wire) {
  static final String NAIVE = "naive";

  /** How subscribers reach a server. */
  enum Wire {
    PLAIN,
    TLS,
    /** Plaintext, with a token that says who it is. */
    TOKEN
  }

  static Side gateway(String load) {
    return new Side("gateway", List.of("serve"), words(load), "", Wire.PLAIN);
  }

  static Side limit(String load) {
    return new Side("limit", words("yardstick limit"), words(load), "", Wire.PLAIN);
  }

  /** That joins events as a gateway does. */
  static Side batchingLimit(String load) {
    return new Side("limit", words("yardstick limit --batch 16"), words(load), "", Wire.PLAIN);
  }

  static Side naive(String load) {
    return new Side(NAIVE, words("yardstick naive"), words(load), "", Wire.PLAIN);
  }

  /** The apiserver, without a gateway. */
  static Side direct(String load) {
    return new Side("direct", List.of(), words(load + " --direct"), "", Wire.PLAIN);
  }

  Side without(String other) {
    return new Side(name, server, load, other, wire);
  }

  boolean isDirect() {
    return server.isEmpty();
  }

  /** The same with further options of the server. */
  Side serving(String options) {
    return new Side(
        name, Stream.concat(server.stream(), words(options).stream()).toList(), load, alone, wire);
  }

  Side over(Wire other) {
    return new Side(name, server, load, alone, other);
  }

  Side called(String other) {
    return new Side(other, server, load, alone, wire);
  }

  /**
   * Naive only tells whether a row tells anything apart: that needs the first, the middle and the
   * last pair, not all.
   */
  boolean isMeasuredIn(int pair, int pairs) {
    return !name.equals(NAIVE) || pair == 1 || pair == (pairs + 1) / 2 || pair == pairs;
  }

  private static List<String> words(String text) {
    return List.of(text.split(" ", -1));
  }
}
