package io.watchgate.http;

import com.google.gson.JsonObject;

/** Document of {@code /version}. */
final class ServerVersion {
  /** Version of Kubernetes whose protocol is served; clients compare their version with it. */
  static final String GIT_VERSION = "v1.36.3+watchgate";

  private ServerVersion() {}

  static JsonObject json() {
    return JsonObjects.of(
        "major", "1",
        "minor", "36",
        "gitVersion", GIT_VERSION,
        "gitCommit", "",
        "gitTreeState", "",
        "buildDate", "1970-01-01T00:00:00Z",
        "goVersion", "",
        "compiler", "",
        "platform", "java/" + Runtime.version().feature());
  }
}
