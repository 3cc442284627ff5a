package io.watchgate.http;

import com.google.gson.JsonObject;

/** Document of {@code /version}. */
final class ServerVersion {
  /** Version of Kubernetes whose protocol is served; clients compare their version with it. */
  static final String GIT_VERSION = "v1.36.3+watchgate";

  private ServerVersion() {}

  static JsonObject json() {
    JsonObject version = new JsonObject();
    version.addProperty("major", "1");
    version.addProperty("minor", "36");
    version.addProperty("gitVersion", GIT_VERSION);
    version.addProperty("gitCommit", "");
    version.addProperty("gitTreeState", "");
    version.addProperty("buildDate", "1970-01-01T00:00:00Z");
    version.addProperty("goVersion", "");
    version.addProperty("compiler", "");
    version.addProperty("platform", "java/" + Runtime.version().feature());
    return version;
  }
}
