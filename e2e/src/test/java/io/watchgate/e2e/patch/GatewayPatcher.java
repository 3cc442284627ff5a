package io.watchgate.e2e.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.sandbox.patch.Patch;
import io.watchgate.sandbox.patch.PatchException;
import io.watchgate.sandbox.schema.Schema;
import io.watchgate.sandbox.schema.SchemaException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The gateway's implementation of patches. */
record GatewayPatcher(Schema schema) {
  static GatewayPatcher of(Resource type) {
    return new GatewayPatcher(Schema.of(type.apiVersion(), type.kind()).orElseThrow());
  }

  Outcome patch(JsonNode object, String mediaType, String patch) {
    try {
      JsonObject before = JsonParser.parseString(object.toString()).getAsJsonObject();
      JsonObject after =
          Patch.parse(mediaType, patch.getBytes(StandardCharsets.UTF_8), Optional.of(schema))
              .apply(before);
      return Outcome.Patched.of(Json.parse(schema.decode(after).object().toString()));
    } catch (PatchException e) {
      return new Outcome.Refused(String.valueOf(e.getMessage()));
    } catch (SchemaException e) {
      return new Outcome.NotDecoded(String.valueOf(e.getMessage()));
    }
  }
}
