package io.watchgate.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;

/** One of the two servers. */
record ComparedServer(String name, Cluster cluster) {

  /** Answer of a server in a comparable form. */
  record Answer(int code, JsonNode body) {}

  Answer send(ComparedRequest ask) {
    Cluster.Reply reply =
        cluster.send(ask.method(), ask.path(), ask.accept(), ask.contentType(), ask.body());
    JsonNode body =
        reply.contentType().startsWith("application/json")
            ? Json.parse(reply.body())
            : Json.object().put("text", reply.body());
    return new Answer(reply.code(), MaskedJson.of(body));
  }
}
