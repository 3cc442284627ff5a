package io.watchgate.e2e.sandbox;

/**
 * Request that is sent to both servers.
 *
 * @param path with the query
 * @param contentType empty without a body
 */
record ComparedRequest(String method, String path, String accept, String contentType, String body) {
  private static final String JSON = "application/json";

  static ComparedRequest get(String path) {
    return new ComparedRequest("GET", path, JSON, "", "");
  }

  ComparedRequest accepting(String media) {
    return new ComparedRequest(method, path, media, contentType, body);
  }

  static ComparedRequest post(String path, String body) {
    return new ComparedRequest("POST", path, JSON, JSON, body);
  }

  static ComparedRequest put(String path, String body) {
    return new ComparedRequest("PUT", path, JSON, JSON, body);
  }

  static ComparedRequest patch(String path, String kind, String body) {
    return new ComparedRequest("PATCH", path, JSON, "application/" + kind + "+json", body);
  }

  static ComparedRequest delete(String path, String options) {
    return new ComparedRequest("DELETE", path, JSON, options.isEmpty() ? "" : JSON, options);
  }

  @Override
  public String toString() {
    return method + " " + path + (body.isEmpty() ? "" : " " + contentType + " " + body);
  }
}
