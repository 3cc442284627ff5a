package io.watchgate.kube;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Upstream.ItemSink;
import io.watchgate.cache.UpstreamFailure.Malformed;
import io.watchgate.json.JsonException;
import io.watchgate.json.ListReader;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads the pages of one list and sees to it that they are one list: all of the same version. A
 * page may hold fewer objects than asked for, even none; only an empty token ends the list. A list
 * without a version has the version "", which the cache takes as one that has no order. One use.
 */
final class PagedList {
  private final String what;
  private final ApiResource type;
  private final KubeSettings settings;
  private final ItemSink sink;
  private String resourceVersion = "";
  private String token = "";

  PagedList(String what, ApiResource type, KubeSettings settings, ItemSink sink) {
    this.what = what;
    this.type = type;
    this.settings = settings;
    this.sink = sink;
  }

  String what() {
    return what;
  }

  /** Reads the next page; returns the token of the one after it, empty after the last. */
  String page(InputStream body, CancellableCall call)
      throws IOException, JsonException, KubeException {
    ListReader.ListMetadata end =
        new ListReader(body, type.apiVersion(), type.kind(), settings.sizes().object()).read(sink);
    if (!token.isEmpty() && !resourceVersion.equals(end.resourceVersion())) {
      throw malformed(
          "of version "
              + LogText.line(end.resourceVersion())
              + " follows one of "
              + resourceVersion);
    }
    if (!end.continueToken().isEmpty() && end.continueToken().equals(token)) {
      throw malformed("names itself as the next");
    }
    resourceVersion = end.resourceVersion();
    token = end.continueToken();
    return token;
  }

  private KubeException malformed(String problem) {
    return new KubeException(new Malformed(what + ": a page " + problem));
  }

  /** The version of all of it, once the last page was read. */
  String resourceVersion() {
    return resourceVersion;
  }
}
