package io.watchgate.e2e.informers;

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

  Class<?> main() {
    return main;
  }

  @Override
  public String toString() {
    return title;
  }
}
