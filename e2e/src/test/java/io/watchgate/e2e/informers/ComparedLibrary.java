package io.watchgate.e2e.informers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Compared library, with its decoder if it is the SDK. */
enum ComparedLibrary {
  OFFICIAL(
      "client-java " + Libraries.OFFICIAL_VERSION,
      OfficialFollower.class,
      "io.kubernetes:client-java:" + Libraries.OFFICIAL_VERSION,
      ""),
  FABRIC8(
      "fabric8 " + Libraries.FABRIC8_VERSION,
      Fabric8Follower.class,
      "io.fabric8:kubernetes-client:" + Libraries.FABRIC8_VERSION,
      ""),
  RAW("ours, raw", GatewayFollower.class, "", "raw"),
  TO_FABRIC8(
      "ours to fabric8's Pod",
      GatewayFollower.class,
      "io.fabric8:kubernetes-client-api:" + Libraries.FABRIC8_VERSION,
      "fabric8"),
  TO_OFFICIAL(
      "ours to V1Pod",
      GatewayFollower.class,
      "io.kubernetes:client-java-api:" + Libraries.OFFICIAL_VERSION,
      "official");

  /** JVM flags, the same for all libraries and common in production. */
  private static final List<String> FLAGS =
      List.of(
          "-Xmx2g",
          "-Xlog:disable",
          "-Xlog:all=warning:stderr",
          "--enable-native-access=ALL-UNNAMED");

  private final String title;
  private final Class<?> main;
  private final String library;
  private final String decoder;

  ComparedLibrary(String title, Class<?> main, String library, String decoder) {
    this.title = title;
    this.main = main;
    this.library = library;
    this.decoder = decoder;
  }

  /** Returns whether it connects to a gateway, and not to the apiserver. */
  boolean isOurs() {
    return main == GatewayFollower.class;
  }

  /** Returns the decoder argument of {@link GatewayFollower}. */
  String decoder() {
    return decoder;
  }

  /**
   * Returns the dependency of a program, in addition to the SDK if this is the SDK; empty: only the
   * SDK.
   */
  String library() {
    return library;
  }

  /**
   * Returns the command line of a JVM with the library.
   *
   * @param options JVM options in addition to the common flags
   * @param arguments of the program
   */
  List<String> command(Libraries libraries, List<String> options, List<String> arguments) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(FLAGS);
    line.addAll(options);
    line.addAll(List.of("-cp", libraries.classPath(), main.getName()));
    line.addAll(arguments);
    return line;
  }

  @Override
  public String toString() {
    return title;
  }
}
