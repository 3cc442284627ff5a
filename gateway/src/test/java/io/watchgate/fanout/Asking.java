package io.watchgate.fanout;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.HistoryId;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import io.watchgate.select.SelectionException;
import java.time.Duration;
import java.util.List;

/** Request of a test's stream. */
record Asking(
    CompiledSelection selection,
    ObjectProjection projection,
    StartPoint start,
    StreamSettings settings) {

  /**
   * Requests full objects from a snapshot, without batching, and with bookmarks too rare to occur
   * in a test by accident.
   */
  static final Asking EVERYTHING =
      new Asking(
          Choice.ALL.getFirst().selection(),
          ObjectProjection.FULL,
          new StartPoint.Snapshot(),
          new StreamSettings(
              LagPolicy.LAG_POLICY_RESYNC,
              ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_SNAPSHOT,
              Duration.ZERO,
              Duration.ofMinutes(3),
              4 << 20,
              null,
              null));

  static Asking labels(String labels) {
    return of(List.of(), labels, "");
  }

  static Asking of(List<String> namespaces, String labels, String fields) {
    try {
      return EVERYTHING.selecting(
          CompiledSelection.of(
              SelectableFields.of(CacheWriter.DEFINITION), namespaces, labels, fields));
    } catch (SelectionException e) {
      throw new AssertionError(e);
    }
  }

  private Asking selecting(CompiledSelection other) {
    return new Asking(other, projection, start, settings);
  }

  Asking projected(ObjectProjection other) {
    return new Asking(selection, other, start, settings);
  }

  Asking from(StartPoint other) {
    return new Asking(selection, projection, other, settings);
  }

  Asking lagging(LagPolicy policy) {
    return with(
        new StreamSettings(
            policy,
            settings.expiredPositionPolicy(),
            settings.maxBatchDelay(),
            settings.bookmarkInterval(),
            settings.maxResponseBytes(),
            null,
            settings.minimumVersion()));
  }

  Asking batching(Duration delay) {
    return with(
        new StreamSettings(
            settings.lagPolicy(),
            settings.expiredPositionPolicy(),
            delay,
            settings.bookmarkInterval(),
            settings.maxResponseBytes(),
            null,
            settings.minimumVersion()));
  }

  Asking bookmarks(Duration interval) {
    return with(
        new StreamSettings(
            settings.lagPolicy(),
            settings.expiredPositionPolicy(),
            settings.maxBatchDelay(),
            interval,
            settings.maxResponseBytes(),
            null,
            settings.minimumVersion()));
  }

  Asking atLeast(long version) {
    return with(
        new StreamSettings(
            settings.lagPolicy(),
            settings.expiredPositionPolicy(),
            settings.maxBatchDelay(),
            settings.bookmarkInterval(),
            settings.maxResponseBytes(),
            null,
            new ResourceVersion(Long.toString(version))));
  }

  private Asking with(StreamSettings others) {
    return new Asking(selection, projection, start, others);
  }

  ResumeTokenCodec tokens() {
    return ResumeTokenCodec.of(new HistoryId("c", CacheWriter.DEFINITION), selection, projection);
  }

  Subscription.Request request() {
    return new Subscription.Request(
        selection, projection, settings, start, tokens(), StreamOpened.getDefaultInstance());
  }
}
