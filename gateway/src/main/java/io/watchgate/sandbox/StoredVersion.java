package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.LocalCache;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.http.ServedResource;

/** A type in one of its versions, and the objects as that version shows them. */
record StoredVersion(ServedResource served, LocalCache cache, VersionConverter shape) {

  TypeDefinition definition() {
    return served.definition();
  }

  ApiResource type() {
    return served.definition().type();
  }

  /** The object as this version shows it. */
  JsonObject shown(JsonObject stored) {
    return ObjectNormalizer.withIdentity(shape.fromStored().apply(stored), type());
  }

  /** The bytes of the object as this version shows it. */
  byte[] bytes(JsonObject stored) {
    GoJsonText.Order order =
        definition().custom() ? GoJsonText.Order.SORTED : GoJsonText.Order.AS_GIVEN;
    return GoJsonText.bytes(shown(stored), order);
  }
}
