package io.watchgate.grpc;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.encode.SelectionTokens;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.select.CompiledSelection;

/** Selection and projection of a request, checked and resolved. */
record ResolvedRequest(
    TypeDefinition definition,
    CompiledSelection selection,
    ObjectProjection projection,
    SelectionTokens tokens) {

  /** Returns the type with its plural and version, as sent in responses. */
  static ResourceType toProto(ApiResource type) {
    return ResourceType.newBuilder()
        .setGroup(type.group())
        .setVersion(type.version())
        .setResource(type.resource())
        .build();
  }

  /** Returns the selection as applied: with the resolved version, and the texts as received. */
  io.watchgate.proto.v1.Selection applied(io.watchgate.proto.v1.Selection requested) {
    return requested.toBuilder().setResourceType(toProto(definition.type())).build();
  }
}
