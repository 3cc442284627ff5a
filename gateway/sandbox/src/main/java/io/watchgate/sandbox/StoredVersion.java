package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.LocalCache;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateMap;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.http.ServedResource;

/** A version of a type, with the objects in the form of that version. */
record StoredVersion(ServedResource served, LocalCache cache, VersionConverter converter) {

  TypeDefinition definition() {
    return served.definition();
  }

  ApiResource type() {
    return served.definition().type();
  }

  /** Returns all current objects in the form of this version. */
  StateMap state() {
    Revision head = cache.cache().head();
    return head == null ? StateMap.EMPTY : head.state();
  }

  /** Returns the object in the form of this version. */
  JsonObject fromStored(JsonObject stored) {
    return ObjectNormalizer.withIdentity(converter.fromStored().apply(stored), type());
  }

  /** Returns the bytes of the object in the form of this version. */
  byte[] encodeStored(JsonObject stored) {
    GoJsonText.Order order =
        definition().isCustom() ? GoJsonText.Order.SORTED : GoJsonText.Order.AS_GIVEN;
    return GoJsonText.bytes(fromStored(stored), order);
  }
}
