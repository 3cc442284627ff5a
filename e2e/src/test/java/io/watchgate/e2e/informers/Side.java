package io.watchgate.e2e.informers;

/** What is compared. */
enum Side {
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

  Side(String title, Class<?> main, String library, String decoder) {
    this.title = title;
    this.main = main;
    this.library = library;
    this.decoder = decoder;
  }

  /** Whether it follows a gateway, and not the apiserver. */
  boolean isOurs() {
    return main == GatewayFollower.class;
  }

  /** What {@link GatewayFollower} is told to decode to. */
  String decoder() {
    return decoder;
  }

  /** What a program names as its dependency, beside the SDK if it is ours; empty: only that. */
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
