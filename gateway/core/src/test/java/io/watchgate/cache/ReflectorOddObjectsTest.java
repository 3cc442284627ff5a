package io.watchgate.cache;

import static io.watchgate.cache.ScriptedUpstream.send;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.Upstream.EventType;
import io.watchgate.cache.Upstream.WatchOutcome;
import io.watchgate.cache.Upstream.WatchSink;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that one unreadable part of the apiserver's output stops neither a type nor a watch. */
final class ReflectorOddObjectsTest extends ReflectorScript {
  private static final String ODD =
      "{\"metadata\":{\"namespace\":\"n\",\"name\":\"a\",\"uid\":\"u-a\",\"resourceVersion\":\"%s\"},\"x\":]}";

  private static void sendText(WatchSink sink, EventType type, String object) {
    byte[] bytes = object.getBytes(UTF_8);
    sink.event(type, bytes, 0, bytes.length);
  }

  private List<String> keys() {
    StateCursor cursor = head().state().cursor(KeyRange.ALL);
    List<String> keys = new ArrayList<>();
    for (var object = cursor.peek(); object != null; object = cursor.peek()) {
      keys.add(object.toString());
      cursor.advance();
    }
    return keys;
  }

  private static WatchOutcome end() {
    return new WatchOutcome(null);
  }

  // ---- lists

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "null",
        "{\"metadata\":{\"name\":\"c\"}}",
        "{\"metadata\":{\"name\":\"c\",\"resourceVersion\":\"\"}}",
        "{\"metadata\":{\"name\":\"c\",\"resourceVersion\":\"abc\"}}",
        "{\"metadata\":{\"name\":\"c\",\"resourceVersion\":\"7\"},\"metadata\":{}}",
        "{\"metadata\":{\"name\":\"c\",\"resourceVersion\":\"7\"},\"a\":\"\\q\"]}",
        "{\"metadata\":null}",
      })
  void unreadableListItem_aloneIsLeftOut(String odd) {
    upstream.listing(
        sink -> {
          sink.item(A.bytes());
          sink.item(odd.getBytes(UTF_8));
          sink.item(B.bytes());
          return new Upstream.Listed("10");
        });

    assertThat(run()).startsWith("streaming list", "list", "watch 10");
    assertThat(keys()).containsExactly("n/a@5", "n/b@6");
    assertThat(cache.skippedObjects()).isEqualTo(1);
  }

  @Test
  void objectWithoutUid_isServed() {
    listed()
        .watch(
            sink -> {
              send(sink, EventType.ADDED, SampleObject.of("n", "c", 11).uid(""));
              send(sink, EventType.MODIFIED, SampleObject.of("n", "c", 12).uid(""));
              send(sink, EventType.DELETED, SampleObject.of("n", "c", 13).uid(""));
              send(sink, EventType.ADDED, SampleObject.of("n", "c", 14).uid(""));
              return end();
            });

    assertThat(afterTheList()).containsExactly("watch 10", "probe", "watch 14");
    assertThat(keys()).containsExactly("n/a@5", "n/b@6", "n/c@14");
  }

  @Test
  void itemThatBecameUnreadable_isDeletedByList() {
    listed()
        .watch(new UpstreamFailure.Expired("x"))
        .listing(
            sink -> {
              sink.item(ODD.formatted("15").getBytes(UTF_8));
              sink.item(B.bytes());
              return new Upstream.Listed("20");
            });

    run();

    assertThat(keys()).containsExactly("n/b@6");
    assertThat(head().kind()).isEqualTo(Revision.Kind.RELIST);
  }

  @Test
  void itemOverLimit_aloneIsLeftOut() {
    upstream.listing(
        sink -> {
          sink.unreadable(A.json().substring(0, 150).getBytes(UTF_8), "larger than the limit");
          sink.item(B.bytes());
          return new Upstream.Listed("10");
        });

    run();

    assertThat(keys()).containsExactly("n/b@6");
  }

  @Test
  void objectListedTwice_isServedAtLaterVersion() {
    upstream.list(10, A.at(9), B, A.at(7), SampleObject.of("n", "c", 3));

    run();

    assertThat(keys()).containsExactly("n/a@9", "n/b@6", "n/c@3");
    assertThat(cache.skippedObjects()).isEqualTo(1);
  }

  // ---- watches

  @Test
  void objectThatBecameUnreadable_isDeletedAtItsVersion() {
    listed()
        .watch(
            sink -> {
              sendText(sink, EventType.MODIFIED, ODD.formatted("11"));
              assertThat(head().changes())
                  .singleElement()
                  .satisfies(
                      change -> {
                        assertThat(change.now()).isNull();
                        assertThat(change.source()).isEqualTo(Change.Source.INFERRED);
                      });
              send(sink, EventType.MODIFIED, A.at(12));
              return end();
            });

    assertThat(afterTheList()).containsExactly("watch 10", "probe", "watch 12");
    assertThat(keys()).containsExactly("n/a@12", "n/b@6");
    assertThat(listedFor).containsExactly("initial");
  }

  @Test
  void eventWithoutVersion_deletesAtHeadVersion() {
    listed()
        .watch(
            sink -> {
              send(sink, EventType.MODIFIED, A.at("x"));
              send(sink, EventType.MODIFIED, B.at(""));
              send(sink, EventType.ADDED, SampleObject.of("n", "c", 3).at(""));
              return end();
            });

    assertThat(afterTheList()).containsExactly("watch 10", "probe", "watch 10");
    assertThat(keys()).isEmpty();
    assertThat(head().version().digits()).isEqualTo("10");
    assertThat(cache.skippedObjects()).isEqualTo(3);
  }

  @Test
  void repeatedUnreadableEvent_isDropped() {
    listed()
        .watch(
            sink -> {
              sendText(sink, EventType.ADDED, ODD.formatted("11"));
              sendText(sink, EventType.ADDED, ODD.formatted("11"));
              sendText(sink, EventType.DELETED, ODD.formatted("12"));
              return end();
            });

    assertThat(afterTheList()).containsExactly("watch 10", "probe", "watch 12");
    assertThat(keys()).containsExactly("n/b@6");
  }

  @Test
  void eventOverLimit_aloneIsLeftOut() {
    listed()
        .watch(
            sink -> {
              byte[] beginning = A.at(11).json().substring(0, 150).getBytes(UTF_8);
              sink.unreadable(EventType.MODIFIED, beginning, 0, beginning.length, "too large");
              send(sink, EventType.MODIFIED, B.at(12));
              return end();
            });

    run();

    assertThat(keys()).containsExactly("n/b@12");
  }

  /** Only a list shows which object changed; but not again and again. */
  @Test
  void eventsWithoutIdentity_causeTwoListsThenAreIgnored() {
    listed();
    for (int i = 0; i < 4; i++) {
      upstream.watch(
          sink -> {
            sendText(sink, EventType.MODIFIED, "{\"metadata\":{}}");
            send(sink, EventType.MODIFIED, A.at(31));
            return end();
          });
    }
    upstream.list(20, A, B);

    assertThat(afterTheList())
        .containsExactly(
            "watch 10",
            "wait 0",
            "probe",
            "list metadata at 10",
            "watch 10",
            "wait 0",
            "probe",
            "list",
            "watch 20",
            "probe",
            "watch 31",
            "probe",
            "watch 31");
    assertThat(listedFor).containsExactly("initial", "malformed");
    assertThat(keys()).containsExactly("n/a@31", "n/b@6");
  }

  @Test
  void bookmarkWithoutVersion_isIgnored() {
    listed()
        .watch(
            sink -> {
              sink.bookmark("abc", Upstream.BookmarkKind.PROGRESS);
              sink.reportIgnored("an event of an unknown type");
              sink.bookmark("11", Upstream.BookmarkKind.PROGRESS);
              return end();
            });

    assertThat(afterTheList()).containsExactly("watch 10", "probe", "watch 11");
  }

  // ---- deletes without a version of their own

  @Test
  void deleteWithOldVersion_isDelete() {
    listed()
        .watch(
            sink -> {
              send(sink, EventType.DELETED, A);
              assertThat(keys()).containsExactly("n/b@6");
              send(sink, EventType.DELETED, A);
              send(sink, EventType.ADDED, A.uid("other").at(12));
              send(sink, EventType.DELETED, A.uid("other").at(12));
              return end();
            });

    assertThat(afterTheList()).containsExactly("watch 10", "probe", "watch 12");
    assertThat(keys()).containsExactly("n/b@6");
    assertThat(listedFor).containsExactly("initial");
  }

  @Test
  void deleteWithoutOwnVersion_isFoundByEarlierDigest() {
    listed()
        .watch(
            sink -> {
              send(sink, EventType.DELETED, A);
              send(sink, EventType.DELETED, B);
              return end();
            });

    run();

    Revision before = oldest();
    ResourceVersion version = before.version();
    assertThat(head().version()).isEqualTo(version);
    assertThat(cache.revisionAtOrBefore(version)).isSameAs(before);
    for (Revision at = before; at != null; at = at.next()) {
      assertThat(cache.revisionAtOrBefore(version, at.digest())).isSameAs(at);
    }
    assertThat(cache.revisionAtOrBefore(version, new StateDigest(1, 2))).isSameAs(head());
  }

  /** When a lease of etcd expires, its events are deleted in one transaction. */
  @Test
  void deletesAtOneVersion_areAllApplied() {
    listed()
        .watch(
            sink -> {
              send(sink, EventType.DELETED, A.at(900));
              send(sink, EventType.DELETED, B.at(900));
              send(sink, EventType.DELETED, A.at(900)); // again
              send(sink, EventType.ADDED, SampleObject.of("n", "c", 901));
              return end();
            });

    assertThat(afterTheList()).containsExactly("watch 10", "probe", "watch 901");
    assertThat(keys()).containsExactly("n/c@901");
    List<String> versions = new ArrayList<>();
    for (Revision at = oldest(); at != null; at = at.next()) {
      versions.add(at.version().digits());
    }
    assertThat(versions).containsExactly("10", "900", "900", "901");
  }

  // ---- relists

  @ParameterizedTest
  @ValueSource(longs = {10, 20})
  void relistInAnotherForm_isNoChange(long version) {
    listed()
        .watch(new UpstreamFailure.Expired("x"))
        .listing(
            sink -> {
              for (SampleObject object : List.of(A, B)) {
                String other =
                    object
                        .json()
                        .replace("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",", "{ ")
                        .replace("\"a\":\"\"", "\"\\u0061\" : \"\"");
                sink.item(other.getBytes(UTF_8));
              }
              return new Upstream.Listed(Long.toString(version));
            });

    run();

    assertThat(head().events()).isEqualTo(oldest().events());
    assertThat(head().state().get(A.view().key())).isSameAs(oldest().state().get(A.view().key()));
    assertThat(head() == oldest()).isEqualTo(version == 10);
  }
}
