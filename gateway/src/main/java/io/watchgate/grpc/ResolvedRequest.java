package io.watchgate.grpc;

import io.watchgate.cache.TypeDefinition;
import io.watchgate.fanout.ObjectProjection;
import io.watchgate.fanout.ResumeTokenCodec;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.select.CompiledSelection;

/** What a request selects, checked and resolved. */
record ResolvedRequest(
    TypeDefinition definition,
    CompiledSelection selection,
    ObjectProjection projection,
    ResumeTokenCodec tokens) {

  /** The type with its plural and version, as it is answered. */
  static ResourceType toProto(TypeDefinition definition) {
    return ResourceType.newBuilder()
        .setGroup(definition.type().group())
        .setVersion(definition.type().version())
        .setResource(definition.type().resource())
        .build();
  }

  /** The selection as applied: the version resolved, the texts as they came. */
  io.watchgate.proto.v1.Selection applied(io.watchgate.proto.v1.Selection asked) {
    return asked.toBuilder().setResourceType(toProto(definition)).build();
  }
}
