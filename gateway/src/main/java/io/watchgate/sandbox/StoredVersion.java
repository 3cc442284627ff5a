package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.LocalCache;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.http.ServedResource;

/** A version of a type, with the objects in the form of that version. */
record StoredVersion(ServedResource served, LocalCache cache, VersionConverter shape) {

  TypeDefinition definition() {
    return served.definition();
  }

  ApiResource type() {
    return served.definition().type();
  }

  /** Returns the object in the form of this version. */
  JsonObject shown(JsonObject stored) {
    return ObjectNormalizer.withIdentity(shape.fromStored().apply(stored), type());
  }

  /** Returns the bytes of the object in the form of this version. */
  byte[] bytes(JsonObject stored) {
    GoJsonText.Order order =
        definition().custom() ? GoJsonText.Order.SORTED : GoJsonText.Order.AS_GIVEN;
    return GoJsonText.bytes(shown(stored), order);
  }
}
