package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.VirtualTime;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.ListOptions.Bookmarks;
import io.watchgate.http.WatchCursor.Progress;
import io.watchgate.select.SelectableFields;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Tests of a watch over a cache that a reflector fills: with gaps, and with a history that ends.
 */
final class WatchCursorTest {
  private static final Pattern FRAME =
      Pattern.compile(
          "\"type\":\"([A-Z]+)\".*?(?:\"name\":\"(\\w+)\".*?)?\"resourceVersion\":\"(\\d+)\"");

  private final VirtualTime time = new VirtualTime();
  private CacheWriter writer = new CacheWriter(CacheWriter.settings(), time.source());
  private final ByteBuilder out = new ByteBuilder(100);

  private static SampleObject object(String name, long version) {
    return SampleObject.of("a", name, version);
  }

  private WatchCursor position(HttpWatchStart.Position start) throws StatusException {
    ListOptions options = ListOptions.of(QueryParameters.parse("watch=1"), ApiPath.Form.PLAIN);
    ApiPath path = ApiPath.parse("/api/v1/configmaps").orElseThrow();
    ObjectFilter filter =
        ObjectFilter.of(SelectableFields.of(CacheWriter.DEFINITION), path, options);
    ApiResource type = CacheWriter.TYPE;
    WatchFrameWriter frames =
        new WatchFrameWriter(CacheWriter.DEFINITION, new BuiltInObjectEncoder(type));
    return new WatchCursor(writer.cache(), filter, frames, Bookmarks.WANTED, start);
  }

  private WatchCursor following() throws StatusException {
    Revision head = writer.head();
    return position(new HttpWatchStart.After(head, head.version()));
  }

  /** Returns the frames since the last call: {@code ADDED one 11}. */
  private String written() {
    String text = new String(out.toArray(), StandardCharsets.UTF_8);
    out.clear();
    return String.join(
        ", ",
        FRAME
            .matcher(text)
            .results()
            .map(
                match ->
                    match.group(1)
                        + (match.group(2) == null ? "" : " " + match.group(2))
                        + " "
                        + match.group(3))
            .toList());
  }

  private Progress fill(WatchCursor position) {
    return position.fill(out, 1 << 16);
  }

  @Test
  void caughtUpWatch_continuesWithNewChanges() throws StatusException {
    writer.list(10, object("one", 5));
    WatchCursor position = position(new HttpWatchStart.WithState(writer.head()));
    assertThat(fill(position)).isEqualTo(Progress.CAUGHT_UP);
    assertThat(written()).isEqualTo("ADDED one 5, BOOKMARK 10");
    assertThat(fill(position)).isEqualTo(Progress.CAUGHT_UP);
    assertThat(written()).isEmpty();
    writer.put(object("two", 11));
    writer.delete(object("one", 5), 12);
    assertThat(fill(position)).isEqualTo(Progress.CAUGHT_UP);
    assertThat(written()).isEqualTo("ADDED two 11, DELETED one 12");
  }

  @Test
  void pieces_endBetweenObjects() throws StatusException {
    writer.list(10, object("one", 5), object("two", 6));
    WatchCursor position = position(new HttpWatchStart.WithState(writer.head()));
    assertThat(position.fill(out, 1)).isEqualTo(Progress.MORE);
    assertThat(written()).isEqualTo("ADDED one 5");
    assertThat(position.fill(out, 1)).isEqualTo(Progress.MORE);
    assertThat(written()).isEqualTo("ADDED two 6");
  }

  @Test
  void recreation_isADeleteAndAnAdd() throws StatusException {
    writer.list(10, object("one", 5));
    WatchCursor position = following();
    writer.put(object("one", 11).uid("another"));
    assertThat(fill(position)).isEqualTo(Progress.CAUGHT_UP);
    assertThat(written()).isEqualTo("DELETED one 11, ADDED one 11");
  }

  @Test
  void relist_endsTheWatch() throws StatusException {
    writer.list(10, object("one", 5));
    WatchCursor position = following();
    writer.put(object("one", 11));
    writer.list(20, object("two", 15));
    assertThat(fill(position)).isEqualTo(Progress.ENDED);
    assertThat(written()).isEqualTo("MODIFIED one 11");
  }

  @Test
  void watchFromBeforeARelist_isRefused() throws StatusException, InterruptedException {
    writer.list(10, object("one", 5));
    writer.put(object("one", 11));
    writer.list(20, object("two", 15));
    assertThat(start(11)).isInstanceOf(HttpWatchStart.Refused.class);
    assertThat(start(15)).isInstanceOf(HttpWatchStart.Refused.class);
    assertThat(start(20)).isInstanceOf(HttpWatchStart.After.class);
  }

  private HttpWatchStart start(long version) throws StatusException, InterruptedException {
    ListOptions options =
        ListOptions.of(
            QueryParameters.parse("watch=1&resourceVersion=" + version), ApiPath.Form.PLAIN);
    TestSource source = new TestSource(writer.cache());
    RequestedVersion.At at = new RequestedVersion.At(new ResourceVersion(Long.toString(version)));
    return HttpWatchStart.find(
        options, at, writer.cache(), new HttpVersionWait(source, Duration.ofSeconds(1)));
  }

  private record TestSource(WatchCache cache) implements ResourceCatalog.Source {
    @Override
    public void refresh() {}

    @Override
    public void close() {}
  }

  @Test
  void watchBehindHistory_ends() throws StatusException {
    CacheSettings brief = CacheWriter.settings().withHistory(Duration.ofSeconds(60), 1 << 20);
    writer = new CacheWriter(brief, time.source());
    writer.list(10, object("one", 5));
    WatchCursor position = following();
    writer.put(object("one", 11));
    time.advance(Duration.ofSeconds(61));
    writer.put(object("one", 12));
    time.advance(Duration.ofSeconds(61));
    writer.put(object("one", 13));
    assertThat(fill(position)).isEqualTo(Progress.ENDED);
  }

  @Test
  void watchThatPinsTooMuch_isTooFarBehind() throws StatusException {
    CacheSettings small =
        CacheWriter.settings().withHistory(Duration.ofHours(1), 10_000).withLaggardBytes(10_000);
    writer = new CacheWriter(small, time.source());
    writer.list(10, object("one", 5));
    WatchCursor position = following();
    assertThat(position.isTooFarBehind()).isFalse();
    for (int version = 11; version < 40; version++) {
      writer.put(object("one", version).padding(1_000));
    }
    assertThat(position.isTooFarBehind()).isTrue();
    position.release();
    assertThat(position.isTooFarBehind()).isFalse();
    assertThat(fill(position)).isEqualTo(Progress.ENDED);
  }

  @Test
  void changesBeforeTheEndOfACache_areSent() throws StatusException {
    writer.list(10, object("one", 5));
    WatchCursor position = following();
    writer.put(object("one", 11));
    writer.upstream(UpstreamState.Phase.REDEFINED, null);
    assertThat(fill(position)).isEqualTo(Progress.ENDED);
    assertThat(written()).isEqualTo("MODIFIED one 11");
  }

  @Test
  void disconnectedCache_doesNotEndTheWatch() throws StatusException {
    writer.list(10, object("one", 5));
    WatchCursor position = following();
    writer.upstream(UpstreamState.Phase.DISCONNECTED, null);
    assertThat(fill(position)).isEqualTo(Progress.CAUGHT_UP);
  }

  @Test
  void bookmarks_startAtTheFutureVersion() throws StatusException {
    writer.list(10, object("one", 5));
    WatchCursor position =
        position(new HttpWatchStart.After(writer.head(), new ResourceVersion("12")));
    position.bookmark(out);
    assertThat(written()).isEmpty();
    writer.put(object("one", 11));
    writer.bookmark(12);
    assertThat(fill(position)).isEqualTo(Progress.CAUGHT_UP);
    position.bookmark(out);
    assertThat(written()).isEqualTo("BOOKMARK 12");
  }
}
