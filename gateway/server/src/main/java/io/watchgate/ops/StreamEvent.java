package io.watchgate.ops;

import io.watchgate.cache.ApiResource;
import io.watchgate.fanout.StreamIdentity;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** Flight-recorder event of one stream, with its client as on the pages for operators. */
abstract class StreamEvent extends Event {
  @Label("Type")
  String type = "";

  @Label("Stream")
  String stream = "";

  @Label("API")
  String api = "";

  @Label("Client")
  String client = "";

  @Label("Agent")
  String agent = "";

  @Label("User")
  String user = "";

  @Label("Address")
  String address = "";

  @Label("Trace Parent")
  String traceparent = "";

  void describe(ApiResource watched, StreamIdentity identity) {
    StreamIdentity kept = identity.shortened();
    type = watched.groupResource();
    stream = kept.id();
    api = kept.api();
    client = kept.client();
    agent = kept.agent();
    user = kept.user();
    address = kept.address();
    traceparent = kept.traceparent();
  }
}
