package io.watchgate.fanout;

import com.google.protobuf.InvalidProtocolBufferException;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Transport that accepts as many responses as the test allows, and keeps them. */
final class RecordingOutlet implements ResponseSink {
  /** Accepts any number of responses. */
  static final int ALL = Integer.MAX_VALUE;

  /** The first response is always sent, and a started step is completed. */
  private static final int MAX_UNASKED = 2;

  final List<ListAndWatchResponse> sent = new ArrayList<>();
  private int credit;
  private int unasked;
  private @Nullable ApiError refusal;

  RecordingOutlet(int credit) {
    this.credit = credit;
  }

  /** Sets the number of further responses to accept. The caller must wake the subscription. */
  void credit(int responses) {
    credit = responses;
    unasked = 0;
  }

  @Override
  public boolean isReady() {
    return credit > 0;
  }

  @Override
  public void send(ByteSlices encoded) {
    ListAndWatchResponse response = parse(encoded);
    if (ended()) {
      throw new IllegalStateException("sent after the end: " + response);
    }
    if (credit == 0 && ++unasked > MAX_UNASKED) {
      throw new IllegalStateException("sent to a transport that is not ready: " + response);
    }
    if (credit != ALL && credit > 0) {
      credit--;
    }
    sent.add(response);
  }

  static ListAndWatchResponse parse(ByteSlices encoded) {
    try {
      return ListAndWatchResponse.parseFrom(encoded.toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("a response that is none", e);
    }
  }

  @Override
  public void end(ApiError reason) {
    if (ended()) {
      throw new IllegalStateException("ended twice");
    }
    refusal = reason;
  }

  @Override
  public void fail() {
    throw new AssertionError("the stream failed; its log says how");
  }

  boolean ended() {
    return refusal != null;
  }

  @Nullable ApiError refusal() {
    return refusal;
  }
}
