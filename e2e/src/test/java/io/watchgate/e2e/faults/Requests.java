package io.watchgate.e2e.faults;

import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.util.List;

/** Builders of basic requests. */
public final class Requests {
  private Requests() {}

  /** Returns a selection; without namespaces it selects all of them. */
  public static Selection.Builder select(String resource, String... namespaces) {
    return Selection.newBuilder()
        .setResourceType(ResourceType.newBuilder().setResource(resource))
        .addAllNamespaces(List.of(namespaces));
  }

  public static ListAndWatchRequest.Builder watch(String resource, String... namespaces) {
    return ListAndWatchRequest.newBuilder().setSelection(select(resource, namespaces));
  }

  public static ListObjectsRequest.Builder list(String resource, String... namespaces) {
    return ListObjectsRequest.newBuilder().setSelection(select(resource, namespaces));
  }
}
