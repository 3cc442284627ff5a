package io.watchgate.e2e.sandbox;

/**
 * Request that is sent to both servers.
 *
 * @param path with the query
 * @param contentType empty without a body
 */
record Ask(String method, String path, String accept, String contentType, String body) {
  private static final String JSON = "application/json";

  static Ask get(String path) {
    return new Ask("GET", path, JSON, "", "");
  }

  Ask accepting(String media) {
    return new Ask(method, path, media, contentType, body);
  }

  static Ask post(String path, String body) {
    return new Ask("POST", path, JSON, JSON, body);
  }

  static Ask put(String path, String body) {
    return new Ask("PUT", path, JSON, JSON, body);
  }

  static Ask patch(String path, String kind, String body) {
    return new Ask("PATCH", path, JSON, "application/" + kind + "+json", body);
  }

  static Ask delete(String path, String options) {
    return new Ask("DELETE", path, JSON, options.isEmpty() ? "" : JSON, options);
  }

  @Override
  public String toString() {
    return method + " " + path + (body.isEmpty() ? "" : " " + contentType + " " + body);
  }
}
