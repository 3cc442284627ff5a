package io.watchgate.check.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.ProjectionSpec;
import io.watchgate.check.SelectionSpec;
import io.watchgate.check.Session.Policy;
import io.watchgate.check.StartSpec;
import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.StreamOpened;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Description of a stream in a report. */
final class StreamRecorderTest {
  private static final SubscriptionSpec WISH =
      new SubscriptionSpec(
          WatchedType.LEASES,
          SelectionSpec.EVERYTHING,
          ProjectionSpec.FULL,
          SubscriptionSpec.Changes.PATCHES,
          Policy.RESYNC);

  private long now = 1;

  private final StreamRecorder hearing =
      new StreamRecorder(
          "subscriber 7, stream 2",
          "127.0.0.1:7443",
          WISH,
          new StartSpec.AtToken(CheckedVersion.of("41")),
          CheckedVersion.NONE,
          new PatchBase(WISH),
          () -> now);

  private static ListAndWatchResponse.Builder at(String version) {
    return ListAndWatchResponse.newBuilder()
        .setResourceVersion(version)
        .setResumeToken(ByteString.copyFromUtf8("token"));
  }

  @Test
  void describe_withoutMessages_reportsNone() {
    now += TimeUnit.MILLISECONDS.toNanos(300);

    assertThat(hearing.describe())
        .matches(
            "subscriber 7, stream 2 at 127.0.0.1:7443 \\(never opened\\), leases in all namespaces,"
                + " as FULL with patches, RESYNC: began with the token of version 41 0\\.3 s ago;"
                + " heard nothing; open and read");
  }

  @Test
  void describe_containsStreamAndAllMessages() {
    hearing.onNext(
        ListAndWatchResponse.newBuilder()
            .setOpened(StreamOpened.newBuilder().setStreamId("gate-1-9").setServerId("gate-1"))
            .build());
    hearing.onNext(at("41").setResumed(Resumed.getDefaultInstance()).build());
    hearing.onNext(at("44").setBookmark(Bookmark.getDefaultInstance()).build());
    hearing.onNext(at("45").setBookmark(Bookmark.getDefaultInstance()).build());
    hearing.pause();
    now += TimeUnit.MILLISECONDS.toNanos(300);

    assertThat(hearing.describe())
        .contains("(stream_id gate-1-9, server_id gate-1)")
        .containsPattern(
            "heard \\{RESUMED=1, bookmark=2, opened=1}, 0 events in all, last 0\\.3 s ago:"
                + " bookmark, never verified with 0 events, position 45; open, not read$");
  }

  @Test
  void describe_endedStream_containsTheEnd() {
    hearing.onError(Status.UNAVAILABLE.withDescription("shutting down").asException());
    now += TimeUnit.MILLISECONDS.toNanos(300);

    assertThat(hearing.describe())
        .containsPattern("ended with UNAVAILABLE, 0\\.3 s ago: shutting down$");
  }
}
