package io.watchgate.grpc;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import io.watchgate.error.UpstreamErrors;
import java.util.List;
import java.util.function.Predicate;

/**
 * Lookup of the type that a request names, including whether this gateway serves it: secrets only
 * if they are named at the start. Thread-safe; a lookup may block.
 */
public final class ServedTypes {
  private final Cluster cluster;
  private final Predicate<ApiResource> isNamed;

  /**
   * @param isNamed whether the configuration names a type; secrets are served only then
   */
  public ServedTypes(Cluster cluster, Predicate<ApiResource> isNamed) {
    this.cluster = cluster;
    this.isNamed = isNamed;
  }

  /**
   * Returns the definition of a served type, as known. A type that is not watchable is rechecked
   * before it is refused.
   */
  TypeDefinition find(io.watchgate.proto.v1.ResourceType asked)
      throws ApiException, InterruptedException {
    TypeReference name = name(asked);
    Cluster.Resolution known = cluster.resolve(name);
    boolean refused = known instanceof Cluster.Found found && !found.definition().isWatchable();
    return served(name, refused ? cluster.recheck(name) : known);
  }

  /**
   * Returns the definition as the apiserver returns it now. To be called before a request is
   * refused because of a known definition.
   */
  TypeDefinition recheck(io.watchgate.proto.v1.ResourceType asked)
      throws ApiException, InterruptedException {
    TypeReference name = name(asked);
    return served(name, cluster.recheck(name));
  }

  private static TypeReference name(io.watchgate.proto.v1.ResourceType asked) throws ApiException {
    if (asked.getResource().isEmpty()) {
      throw new ApiException(RequestErrors.typeRequired());
    }
    for (String part : List.of(asked.getGroup(), asked.getVersion(), asked.getResource())) {
      if (part.length()
          > RequestLimits.MAX_TYPE_NAME) { // the cost of searching near names grows with the length
        throw new ApiException(
            RequestErrors.typeNameTooLong(part.length(), RequestLimits.MAX_TYPE_NAME));
      }
    }
    return new TypeReference(asked.getGroup(), asked.getVersion(), asked.getResource());
  }

  private TypeDefinition served(TypeReference name, Cluster.Resolution resolution)
      throws ApiException {
    return switch (resolution) {
      case Cluster.Found(TypeDefinition definition) -> served(definition);
      case Cluster.Unknown unknown ->
          throw new ApiException(RequestErrors.typeUnknown(name.toString(), unknown.near()));
      case Cluster.Unavailable unavailable ->
          throw new ApiException(unavailable(name, unavailable.failure()));
    };
  }

  private TypeDefinition served(TypeDefinition definition) throws ApiException {
    ApiResource type = definition.type();
    if (!definition.isWatchable()) {
      throw new ApiException(
          RequestErrors.typeNotWatchable(type.groupResource(), definition.verbs()));
    }
    if (!isServed(type)) {
      throw new ApiException(RequestErrors.typeNotServed(type.groupResource()));
    }
    return definition;
  }

  /** Returns whether this gateway serves the type. */
  public boolean isServed(ApiResource type) {
    boolean secret = type.group().isEmpty() && type.resource().equals("secrets");
    return !secret || isNamed.test(type);
  }

  private static ApiError unavailable(TypeReference name, UpstreamFailure failure) {
    return failure instanceof UpstreamFailure.Forbidden
        ? UpstreamErrors.gatewayMayNotAskFor(name.toString(), failure.message())
        : UpstreamErrors.typeNotAnswered(name.toString(), failure.message());
  }
}
