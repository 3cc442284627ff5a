package io.watchgate.kube;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Upstream.ItemSink;
import io.watchgate.cache.UpstreamFailure.Malformed;
import io.watchgate.json.JsonException;
import io.watchgate.json.ListReader;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reader of the pages of one list, which checks that all have the same version. Pages have the size
 * of {@link KubeSettings.Sizes#pageSize}. A page may have fewer objects than requested, even none;
 * only an empty token ends the list. A list without a version has the version "", which the cache
 * treats as unordered. One use.
 */
final class ListPageReader {
  private final String description;
  private final ApiResource type;
  private final KubeSettings settings;
  private final ItemSink sink;
  private String resourceVersion = "";
  private String token = "";

  ListPageReader(String what, ApiResource type, KubeSettings settings, ItemSink sink) {
    this.description = what;
    this.type = type;
    this.settings = settings;
    this.sink = sink;
  }

  String description() {
    return description;
  }

  /** Reads the next page; returns the token of the following page, empty after the last. */
  String page(InputStream body, CancellableCall call)
      throws IOException, JsonException, KubeException {
    ListReader.ListMetadata end =
        new ListReader(body, type.apiVersion(), type.kind(), settings.sizes().maxObjectBytes())
            .read(sink);
    if (!token.isEmpty() && !resourceVersion.equals(end.resourceVersion())) {
      throw malformed(
          "of version "
              + LogText.singleLine(end.resourceVersion())
              + " follows one of "
              + resourceVersion);
    }
    if (!end.continueToken().isEmpty() && end.continueToken().equals(token)) {
      throw malformed("has its own continue token");
    }
    resourceVersion = end.resourceVersion();
    token = end.continueToken();
    return token;
  }

  private KubeException malformed(String problem) {
    return new KubeException(new Malformed(description + ": a page " + problem));
  }

  /** Returns the version of the list, once the last page was read. */
  String resourceVersion() {
    return resourceVersion;
  }
}
