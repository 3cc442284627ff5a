package io.watchgate.bench.compare;

import java.util.List;
import java.util.stream.Stream;

/**
 * One of the contenders of a comparison.
 *
 * @param server command that serves, without addresses; empty: the apiserver itself is measured
 * @param load options of {@code bench}
 * @param subtracted name of the contender whose measurement is subtracted from this one; empty:
 *     none
 * @param wire connection between subscribers and the server; in comparisons with a kube-apiserver
 *     always TLS
 * @param participation pairs in which the contender takes part
 */
public record Contender(
    String name,
    List<String> server,
    List<String> load,
    String subtracted,
    Wire wire,
    Participation participation) {
  static final String NAIVE = "naive";
  static final String FLOOR = "floor";

  private static final String GATEWAY = "gateway";
  private static final String SERVE = "serve";

  /** Connection between subscribers and the server. */
  enum Wire {
    PLAIN,
    TLS,
    /** Plaintext with a token that identifies the user. */
    TOKEN
  }

  /** Pairs in which a contender takes part. */
  enum Participation {
    ALWAYS,
    /**
     * First, middle and last pair: for contenders that only indicate whether, or why, a scenario
     * discriminates.
     */
    THRICE
  }

  static Contender gateway(String load) {
    return new Contender(
        GATEWAY, List.of(SERVE), words(load), "", Wire.PLAIN, Participation.ALWAYS);
  }

  static Contender baseline(String load) {
    return new Contender(
        "baseline", words("baseline bare"), words(load), "", Wire.PLAIN, Participation.ALWAYS);
  }

  /** Returns a baseline that joins events as a gateway does. */
  static Contender batchingBaseline(String load) {
    return new Contender(
        "baseline",
        words("baseline bare --batch 16"),
        words(load),
        "",
        Wire.PLAIN,
        Participation.ALWAYS);
  }

  /** Returns hand-made frames of HTTP/2 without gRPC. */
  static Contender floor(String load) {
    return new Contender(
        FLOOR, words("baseline floor"), words(load), "", Wire.PLAIN, Participation.THRICE);
  }

  static Contender batchingFloor(String load) {
    return new Contender(
        FLOOR,
        words("baseline floor --batch 16"),
        words(load),
        "",
        Wire.PLAIN,
        Participation.THRICE);
  }

  static Contender naive(String load) {
    return new Contender(
        NAIVE, words("baseline naive"), words(load), "", Wire.PLAIN, Participation.THRICE);
  }

  /** Returns the same load on the naive baseline, if it was on a gateway. */
  Contender asNaive() {
    return isGateway()
        ? new Contender(
            name.equals(GATEWAY) ? NAIVE : name,
            words("baseline naive"),
            load,
            subtracted,
            wire,
            participation)
        : this;
  }

  /** Returns the apiserver without a gateway. */
  static Contender direct(String load) {
    return new Contender(
        "direct", List.of(), words(load + " --direct"), "", Wire.PLAIN, Participation.ALWAYS);
  }

  Contender subtracting(String other) {
    return new Contender(name, server, load, other, wire, participation);
  }

  boolean isGateway() {
    return !server.isEmpty() && server.getFirst().equals(SERVE);
  }

  boolean isDirect() {
    return server.isEmpty();
  }

  /** Returns a copy with further options of the server. */
  Contender withServerOptions(String options) {
    return new Contender(
        name,
        Stream.concat(server.stream(), words(options).stream()).toList(),
        load,
        subtracted,
        wire,
        participation);
  }

  Contender withWire(Wire other) {
    return new Contender(name, server, load, subtracted, other, participation);
  }

  Contender withName(String other) {
    return new Contender(other, server, load, subtracted, wire, participation);
  }

  /** Returns a copy that takes part in three pairs: enough for what is shown or far from a goal. */
  Contender inThreePairs() {
    return new Contender(name, server, load, subtracted, wire, Participation.THRICE);
  }

  boolean isMeasuredIn(int pair, int pairs) {
    return switch (participation) {
      case ALWAYS -> true;
      case THRICE -> pair == 1 || pair == (pairs + 1) / 2 || pair == pairs;
    };
  }

  private static List<String> words(String text) {
    return List.of(text.split(" ", -1));
  }
}
