package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.Upstream.EventType;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of streams of a type whose apiserver sends unusual data. */
final class OddUpstreamTest {
  private static final SampleObject A = SampleObject.of("n1", "a", 5);
  private static final SampleObject B = SampleObject.of("n1", "b", 6);

  private final CacheUnderTest underTest = new CacheUnderTest();
  private final CacheWriter writer = underTest.writer;

  private ControlledResponseSink subscribe(LagPolicy policy) {
    return underTest.subscribe(StreamRequest.EVERYTHING.lagging(policy));
  }

  private ControlledResponseSink resume(ListAndWatchResponse from) {
    StreamRequest asking = StreamRequest.EVERYTHING.lagging(LagPolicy.LAG_POLICY_DISCONNECT);
    try {
      return underTest.subscribe(
          asking.from(new StartPoint.Token(asking.tokens().check(from.getResumeToken()))));
    } catch (ApiException e) {
      throw new AssertionError(e);
    }
  }

  private ControlledResponseSink resumeAt(long version) {
    ControlledResponseSink sink =
        underTest.subscribe(
            StreamRequest.EVERYTHING
                .lagging(LagPolicy.LAG_POLICY_DISCONNECT)
                .from(new StartPoint.Version(new ResourceVersion(Long.toString(version)))));
    underTest.run();
    return sink;
  }

  /** Returns the events sent after the first {@code after} responses. */
  private static List<WatchEvent> events(ControlledResponseSink sink, int after) {
    return sink.responses().stream()
        .skip(after)
        .flatMap(response -> response.getEventsList().stream())
        .toList();
  }

  private static String inAnotherForm(SampleObject object) {
    return object
        .json()
        .replace("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",", "{ ")
        .replace("\"n1\"", "\"\\u006e1\"");
  }

  @ParameterizedTest
  @CsvSource({
    "LAG_POLICY_RESYNC, 10",
    "LAG_POLICY_RESYNC, 20",
    "LAG_POLICY_CONFLATE, 10",
    "LAG_POLICY_CONFLATE, 20",
    "LAG_POLICY_DISCONNECT, 10"
  })
  void relistInAnotherForm_sendsNoEvents(LagPolicy policy, long version) {
    writer.list(10, A, B);
    ControlledResponseSink sink = subscribe(policy);
    int before = sink.sent.size();

    writer.listText(version, List.of(inAnotherForm(A), inAnotherForm(B)));
    underTest.run();

    assertThat(events(sink, before)).isEmpty();
    assertThat(sink.refusal()).isNull();
    if (version == 10) {
      assertThat(sink.sent).hasSize(before);
    }
  }

  /** Only the difference is sent, and is announced as a gap. */
  @Test
  void relistWithAnotherContent_sendsWhatDiffers() {
    writer.list(10, A, B);
    ControlledResponseSink sink = subscribe(LagPolicy.LAG_POLICY_RESYNC);
    int before = sink.sent.size();

    writer.listText(20, List.of(inAnotherForm(A), B.padding(9).json()));
    underTest.run();

    assertThat(sink.responses().get(before).hasNetEffectStarted()).isTrue();
    assertThat(events(sink, before))
        .extracting(event -> event.getType() + " " + event.getKey().getName())
        .containsExactly("EVENT_TYPE_MODIFIED b");
  }

  @Test
  void deleteOfTheOldVersion_isSentAtOnceAndOnceAfterAResume() {
    writer.list(10, A, B);
    ControlledResponseSink sink = subscribe(LagPolicy.LAG_POLICY_DISCONNECT);
    ListAndWatchResponse synced = sink.lastResponse();
    int before = sink.sent.size();

    writer.event(EventType.DELETED, A);
    underTest.run();
    ListAndWatchResponse deleted = sink.lastResponse();
    writer.put(B.at(12));
    underTest.run();

    assertThat(events(sink, before))
        .extracting(event -> event.getType() + " " + event.getResourceVersion())
        .containsExactly("EVENT_TYPE_DELETED 10", "EVENT_TYPE_MODIFIED 12");
    assertThat(deleted.getEvents(0).getRemovalReason())
        .isEqualTo(RemovalReason.REMOVAL_REASON_OBJECT_DELETED);
    assertThat(deleted.getResourceVersion()).isEqualTo("10");
    assertThat(deleted.getResumeToken()).isNotEqualTo(synced.getResumeToken());
    assertThat(events(resume(synced), 0))
        .extracting(event -> event.getType() + " " + event.getResourceVersion())
        .containsExactly("EVENT_TYPE_DELETED 10", "EVENT_TYPE_MODIFIED 12");
    assertThat(events(resume(deleted), 0))
        .extracting(event -> event.getType() + " " + event.getResourceVersion())
        .containsExactly("EVENT_TYPE_MODIFIED 12");
  }

  /** A version of the client between that of the delete and that of the next change. */
  @ParameterizedTest
  @ValueSource(longs = {10, 11})
  void deleteOfTheOldVersion_isSentAgainAfterABareVersion(long version) {
    writer.list(10, A, B);
    writer.event(EventType.DELETED, A);
    writer.put(B.at(12));

    ControlledResponseSink sink = resumeAt(version);

    assertThat(events(sink, 0))
        .extracting(event -> event.getType() + " " + event.getResourceVersion())
        .containsExactly("EVENT_TYPE_DELETED 10", "EVENT_TYPE_MODIFIED 12");
    assertThat(sink.responses()).noneMatch(ListAndWatchResponse::hasSnapshotStarted);
  }

  /** When a lease of etcd expires, its events are deleted in one transaction. */
  @ParameterizedTest
  @CsvSource({
    "14, DELETED a@15 DELETED b@15 ADDED a@17",
    "15, DELETED b@15 ADDED a@17",
    "16, ADDED a@17"
  })
  void deletesOfOneVersion_afterBareVersion_areNotMissed(long version, String expected) {
    writer.list(10, A, B);
    writer.delete(A, 15);
    writer.delete(B, 15);
    writer.put(A.uid("other").at(17));

    ControlledResponseSink sink = resumeAt(version);

    assertThat(
            events(sink, 0).stream()
                .map(
                    event ->
                        event.getType().name().replace("EVENT_TYPE_", "")
                            + " "
                            + event.getKey().getName()
                            + "@"
                            + event.getResourceVersion())
                .collect(Collectors.joining(" ")))
        .isEqualTo(expected);
    assertThat(sink.responses()).noneMatch(ListAndWatchResponse::hasSnapshotStarted);
  }

  @Test
  void objectThatCannotBeReadAnyMore_isSentAsDeleted() {
    writer.list(10, A, B);
    ControlledResponseSink sink = subscribe(LagPolicy.LAG_POLICY_DISCONNECT);
    int before = sink.sent.size();

    writer.event(EventType.MODIFIED, A.at(11).json().replace("\"data\":{", "\"data\":[{"));
    writer.put(A.at(12));
    underTest.run();

    assertThat(events(sink, before))
        .extracting(
            event ->
                event.getType() + " " + event.getResourceVersion() + " " + event.getRemovalReason())
        .containsExactly(
            "EVENT_TYPE_DELETED 11 REMOVAL_REASON_INFERRED",
            "EVENT_TYPE_ADDED 12 REMOVAL_REASON_UNSPECIFIED");
  }

  @Test
  void objectWithoutUid_isSentWithItsKey() {
    writer.list(10, A.uid(""), B);
    ControlledResponseSink sink = subscribe(LagPolicy.LAG_POLICY_DISCONNECT);
    writer.put(A.uid("").at(11));
    writer.delete(A.uid(""), 12);
    underTest.run();

    assertThat(events(sink, 0))
        .filteredOn(event -> event.getKey().getName().equals("a"))
        .extracting(event -> event.getType() + event.getKey().getUid())
        .containsExactly("EVENT_TYPE_ADDED", "EVENT_TYPE_MODIFIED", "EVENT_TYPE_DELETED");
  }
}
