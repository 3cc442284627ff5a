package io.watchgate.conformance;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * One stream of a case: the expected request, the responses to it and the end.
 *
 * @param expected fields that the request must have, in protobuf's JSON form
 * @param address address at which the request must come
 * @param minWait shortest time between the end of the stream before and this request
 * @param maxWait longest such time
 */
public record ScriptedStream(
    JsonObject expected,
    Address address,
    Optional<Duration> minWait,
    Optional<Duration> maxWait,
    List<ListAndWatchResponse> responses,
    StreamEnd end) {
  /** Address of a request, compared with that of the one before. */
  public enum Address {
    ANY,
    ANOTHER
  }

  public ScriptedStream {
    responses = List.copyOf(responses);
  }

  /** Stream that stays open and is silent. */
  public static final ScriptedStream SILENT =
      new ScriptedStream(
          new JsonObject(),
          Address.ANY,
          Optional.empty(),
          Optional.empty(),
          List.of(),
          new StreamEnd.Open());

  /**
   * Reads a stream from JSON.
   *
   * @throws CaseFormatException if the text is no stream of a case
   */
  public static ScriptedStream parse(String json) throws CaseFormatException {
    try {
      return read(CaseFields.asObject(JsonParser.parseString(json), "stream"), "stream");
    } catch (JsonParseException e) {
      throw new CaseFormatException(String.valueOf(e.getMessage()));
    }
  }

  static ScriptedStream read(JsonObject stream, String name) throws CaseFormatException {
    CaseFields fields = new CaseFields(stream, name);
    fields.allow("expect", "address", "minWait", "maxWait", "send", "end");
    String address = fields.text("address", "");
    if (!address.isEmpty() && !address.equals("another")) {
      throw new CaseFormatException(name + ": \"address\" may be \"another\": " + address);
    }
    List<ListAndWatchResponse> responses = new ArrayList<>();
    for (JsonElement response : fields.array("send")) {
      responses.add(response(CaseFields.asObject(response, name + ": response"), name));
    }
    return new ScriptedStream(
        CaseFields.asObject(CaseText.expand(fields.object("expect")), name),
        address.isEmpty() ? Address.ANY : Address.ANOTHER,
        stream.has("minWait") ? Optional.of(fields.duration("minWait")) : Optional.empty(),
        stream.has("maxWait") ? Optional.of(fields.duration("maxWait")) : Optional.empty(),
        responses,
        stream.has("end") ? StreamEnd.read(fields.object("end")) : new StreamEnd.Open());
  }

  /**
   * Reads a response; {@code {"wire": BASE64}} has what this version of the contract cannot say.
   */
  private static ListAndWatchResponse response(JsonObject json, String name)
      throws CaseFormatException {
    try {
      if (json.has("wire")) {
        return ListAndWatchResponse.parseFrom(
            Base64.getDecoder().decode(json.get("wire").getAsString()));
      }
      ListAndWatchResponse.Builder response = ListAndWatchResponse.newBuilder();
      JsonFormat.parser().merge(CaseText.expand(json).toString(), response);
      return response.build();
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      throw new CaseFormatException(name + ": " + e.getMessage());
    }
  }

  /** Returns what differs in a request, empty if nothing does. */
  Optional<String> difference(ListAndWatchRequest request) {
    try {
      JsonElement received =
          JsonParser.parseString(
              JsonFormat.printer().alwaysPrintFieldsWithNoPresence().print(request));
      JsonObject shown = received.getAsJsonObject();
      if (!shown.has("resumeToken")) { // a member of a oneof
        shown.addProperty("resumeToken", "");
      }
      return CaseText.includes(shown, expected)
          ? Optional.empty()
          : Optional.of("the request is " + shown + ", and must have " + expected);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a request without Any has a JSON form", e);
    }
  }

  void play(StreamObserver<ListAndWatchResponse> stream) {
    responses.forEach(stream::onNext);
    switch (end) {
      case StreamEnd.Open() -> {}
      case StreamEnd.Completed() -> stream.onCompleted();
      case StreamEnd.Failed(var error) -> stream.onError(error);
    }
  }
}
