package io.watchgate.e2e.clients;

import io.grpc.InsecureServerCredentials;
import io.watchgate.conformance.CaseFormatException;
import io.watchgate.conformance.ScriptedGateway;
import io.watchgate.conformance.ScriptedStream;
import java.io.IOException;
import java.util.List;

/** Streams for the tests of a client's command line. */
final class Streams {
  /** A snapshot of one object. */
  static final ScriptedStream SNAPSHOT =
      parse(
          """
          {"send": [
            {"opened": {}},
            {"snapshotStarted": {}},
            {"events": [{"type": "EVENT_TYPE_ADDED",
                         "key": {"namespace": "shop", "name": "web", "uid": "u"},
                         "resourceVersion": "1", "object": {"json": {"data": {}}}}]},
            {"resourceVersion": "1", "resumeToken": {"utf8": "t1"}, "synced": {"objects": 1}}]}
          """);

  /** Changes after the snapshot. */
  static final ScriptedStream RESUMED =
      parse(
          """
          {"send": [
            {"opened": {}},
            {"resourceVersion": "1", "resumeToken": {"utf8": "t1"}, "resumed": {}}]}
          """);

  /** A change. */
  static final ScriptedStream CHANGE =
      parse(
          """
          {"send": [
            {"events": [{"type": "EVENT_TYPE_MODIFIED",
                         "key": {"namespace": "shop", "name": "web", "uid": "u"},
                         "resourceVersion": "2", "object": {"json": {"data": {}}}}],
             "resourceVersion": "2", "resumeToken": {"utf8": "t2"}}]}
          """);

  /** An end as by a proxy. */
  static final ScriptedStream BROKEN = parse("{\"end\": {\"code\": \"UNAVAILABLE\"}}");

  private Streams() {}

  private static ScriptedStream parse(String json) {
    try {
      return ScriptedStream.parse(json);
    } catch (CaseFormatException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Starts a gateway without TLS; further streams are silent. */
  static ScriptedGateway gateway(ScriptedStream... streams) throws IOException {
    return new ScriptedGateway(
        InsecureServerCredentials.create(), List.of(streams), ScriptedStream.SILENT);
  }
}
