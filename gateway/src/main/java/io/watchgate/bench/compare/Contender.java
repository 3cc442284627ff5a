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
 * @param often in how many pairs it takes part
 */
public record Contender(
    String name, List<String> server, List<String> load, String alone, Wire wire, Often often) {
  static final String NAIVE = "naive";

  private static final String GATEWAY = "gateway";
  private static final String SERVE = "serve";

  /** How subscribers reach a server. */
  enum Wire {
    PLAIN,
    TLS,
    /** Plaintext, with a token that says who it is. */
    TOKEN
  }

  /** In how many pairs a side takes part. */
  enum Often {
    ALWAYS,
    /** What only tells whether, or why, a row tells anything apart: first, middle and last. */
    THRICE
  }

  static Contender gateway(String load) {
    return new Contender(GATEWAY, List.of(SERVE), words(load), "", Wire.PLAIN, Often.ALWAYS);
  }

  static Contender limit(String load) {
    return new Contender(
        "limit", words("yardstick limit"), words(load), "", Wire.PLAIN, Often.ALWAYS);
  }

  /** That joins events as a gateway does. */
  static Contender batchingLimit(String load) {
    return new Contender(
        "limit", words("yardstick limit --batch 16"), words(load), "", Wire.PLAIN, Often.ALWAYS);
  }

  static Contender naive(String load) {
    return new Contender(
        NAIVE, words("yardstick naive"), words(load), "", Wire.PLAIN, Often.THRICE);
  }

  /** The same load, on the naive yardstick where it was on a gateway. */
  Contender asNaive() {
    return !server.isEmpty() && server.getFirst().equals(SERVE)
        ? new Contender(
            name.equals(GATEWAY) ? NAIVE : name, words("yardstick naive"), load, alone, wire, often)
        : this;
  }

  /** The apiserver, without a gateway. */
  static Contender direct(String load) {
    return new Contender(
        "direct", List.of(), words(load + " --direct"), "", Wire.PLAIN, Often.ALWAYS);
  }

  Contender without(String other) {
    return new Contender(name, server, load, other, wire, often);
  }

  boolean isDirect() {
    return server.isEmpty();
  }

  /** The same with further options of the server. */
  Contender serving(String options) {
    return new Contender(
        name,
        Stream.concat(server.stream(), words(options).stream()).toList(),
        load,
        alone,
        wire,
        often);
  }

  Contender over(Wire other) {
    return new Contender(name, server, load, alone, other, often);
  }

  Contender called(String other) {
    return new Contender(other, server, load, alone, wire, often);
  }

  /** The same, for what no goal depends on. */
  Contender thrice() {
    return new Contender(name, server, load, alone, wire, Often.THRICE);
  }

  boolean isMeasuredIn(int pair, int pairs) {
    return switch (often) {
      case ALWAYS -> true;
      case THRICE -> pair == 1 || pair == (pairs + 1) / 2 || pair == pairs;
    };
  }

  private static List<String> words(String text) {
    return List.of(text.split(" ", -1));
  }
}
