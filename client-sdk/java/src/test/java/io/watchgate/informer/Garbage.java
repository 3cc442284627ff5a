package io.watchgate.informer;

import static io.watchgate.informer.ResponseBuilder.added;
import static io.watchgate.informer.ResponseBuilder.at;
import static io.watchgate.informer.ResponseBuilder.begun;
import static io.watchgate.informer.ResponseBuilder.bookmark;
import static io.watchgate.informer.ResponseBuilder.changes;
import static io.watchgate.informer.ResponseBuilder.deleted;
import static io.watchgate.informer.ResponseBuilder.event;
import static io.watchgate.informer.ResponseBuilder.events;
import static io.watchgate.informer.ResponseBuilder.modified;
import static io.watchgate.informer.ResponseBuilder.opened;
import static io.watchgate.informer.ResponseBuilder.patched;
import static io.watchgate.informer.ResponseBuilder.resumed;
import static io.watchgate.informer.ResponseBuilder.synced;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnknownFieldSet;
import io.watchgate.proto.v1.BodyOmitted;
import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.NetEffectStarted;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Sequences of responses that violate the protocol. Their objects have names that begin with {@code
 * garbage}.
 */
@SuppressWarnings("ImmutableEnumChecker") // the list is never modified
enum Garbage {
  RANDOM_BYTES {
    @Override
    List<byte[]> bytes(Random random) {
      List<byte[]> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        byte[] bytes = new byte[1 + random.nextInt(200)];
        random.nextBytes(bytes);
        all.add(bytes);
      }
      return all;
    }
  },
  HALF_A_RESPONSE {
    @Override
    List<byte[]> bytes(Random random) {
      byte[] whole = events(added("garbage", "u", "150", "1")).toByteArray();
      byte[] half = new byte[1 + random.nextInt(whole.length - 1)];
      System.arraycopy(whole, 0, half, 0, half.length);
      return List.of(opened().toByteArray(), begun().toByteArray(), half);
    }
  },
  EMPTY_RESPONSES(
      ListAndWatchResponse.getDefaultInstance(), ListAndWatchResponse.getDefaultInstance()),
  OPENED_AGAIN_AND_AGAIN(opened(), opened(), opened(), opened()),
  CHANGES_BEFORE_OPENED(changes("150", added("garbage", "u", "150", "1"))),
  CHANGES_WITHOUT_A_SNAPSHOT(opened(), changes("150", modified("garbage", "u", "150", "1"))),
  DELETED_WITHOUT_A_SNAPSHOT(opened(), changes("150", deleted("a", "uid-a", "150"))),
  A_BOOKMARK_WITHOUT_A_SNAPSHOT(opened(), bookmark("150")),
  RESUMED_WITHOUT_A_TOKEN(
      opened(), resumed("150"), changes("151", added("garbage", "u", "151", "1"))),
  SYNCED_WITHOUT_A_SNAPSHOT(opened(), synced("150", 3), bookmark("151")),
  EVENTS_AND_SYNCED_WITHOUT_A_SNAPSHOT(
      opened(), events(added("garbage", "u", "150", "1")), synced("150", 1)),
  A_SNAPSHOT_IN_A_SNAPSHOT(
      opened(),
      begun(),
      events(added("garbage", "u", "150", "1")),
      begun(),
      events(added("garbage-2", "u2", "150", "1"))),
  A_SNAPSHOT_WITHOUT_END(opened(), begun(), events(added("garbage", "u", "150", "1"))),
  A_SNAPSHOT_OF_FEWER_THAN_IT_SAYS(
      opened(), begun(), events(added("garbage", "u", "150", "1")), synced("150", 2)),
  SYNCED_WITHOUT_A_POSITION(
      opened(),
      begun(),
      events(added("garbage", "u", "150", "1")),
      ListAndWatchResponse.newBuilder().setSynced(Synced.newBuilder().setObjects(1)).build()),
  VERSIONS_THAT_ARE_NONE_IN_A_SNAPSHOT(
      opened(), begun(), events(added("garbage", "u", "1x", "1")), synced("150", 1)),
  A_POSITION_THAT_IS_NO_VERSION(
      opened(), begun(), events(added("garbage", "u", "150", "1")), synced("-1", 1)),
  HUGE_NUMBERS(
      ListAndWatchResponse.newBuilder()
          .setOpened(
              StreamOpened.newBuilder()
                  .setDelivery(
                      Delivery.newBuilder().setMaxResponseBytes(-1).setBookmarkInterval(huge())))
          .build(),
      ListAndWatchResponse.newBuilder()
          .setSnapshotStarted(
              SnapshotStarted.newBuilder().setObjects(-1).setHistoryId(ResponseBuilder.HISTORY))
          .build(),
      events(
          event(EventType.EVENT_TYPE_ADDED, "garbage", "u", "150")
              .setOmitted(BodyOmitted.newBuilder().setSize(-1))
              .build()),
      at("150").setSynced(Synced.newBuilder().setObjects(-1).setStaleness(huge())).build(),
      ListAndWatchResponse.newBuilder()
          .setBookmark(Bookmark.newBuilder().setVerifiedAt(never()).setSentAt(never()))
          .build()),
  NET_EFFECTS_WITHOUT_END(
      opened(),
      ListAndWatchResponse.newBuilder()
          .setNetEffectStarted(NetEffectStarted.newBuilder().setEventsReplaced(-1))
          .build(),
      events(deleted("a", "uid-a", "150"))),
  UNKNOWN_FIELDS(
      opened(),
      ListAndWatchResponse.newBuilder()
          .setUnknownFields(
              UnknownFieldSet.newBuilder()
                  .addField(
                      17,
                      UnknownFieldSet.Field.newBuilder()
                          .addLengthDelimited(ByteString.copyFromUtf8("?"))
                          .build())
                  .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(-1).build())
                  .build())
          .build(),
      events(event(EventType.EVENT_TYPE_ADDED, "garbage", "u", "150").setTypeValue(77).build())),
  /** Each response is valid by itself. */
  A_POSITION_THAT_GOES_BACK(
      opened(),
      begun(),
      events(added("garbage", "u", "250", "1")),
      synced("250", 1),
      changes("240", added("garbage-2", "u2", "240", "1"))),
  AN_UNKNOWN_VERSION_AFTER_A_SNAPSHOT(
      opened(),
      begun(),
      events(added("garbage", "u", "250", "1")),
      synced("250", 1),
      changes("251", added("garbage-2", "u2", "251", "1"), modified("garbage", "u", "0xff", "2"))),
  A_PATCH_WITHOUT_BASE(
      opened(),
      begun(),
      events(added("garbage", "u", "250", "{}")),
      synced("250", 1),
      changes(
          "252", added("garbage-2", "u2", "251", "{}"), patched("garbage", "u", "252", "", "[]"))),
  A_PATCH_THAT_IS_NONE(
      opened(),
      begun(),
      events(added("garbage", "u", "250", "{}")),
      synced("250", 1),
      changes("251", patched("garbage", "u", "251", "250", "[[[{\"op\":7")));

  private final List<ListAndWatchResponse> responses;

  Garbage(ListAndWatchResponse... responses) {
    this.responses = List.of(responses);
  }

  List<byte[]> bytes(Random random) {
    return responses.stream().map(ListAndWatchResponse::toByteArray).toList();
  }

  /** Returns whether the sequence contains a snapshot that the client must accept. */
  boolean hasSnapshot() {
    return compareTo(A_POSITION_THAT_GOES_BACK) >= 0;
  }

  private static Duration huge() {
    return Duration.newBuilder().setSeconds(Long.MAX_VALUE).setNanos(Integer.MAX_VALUE).build();
  }

  private static Timestamp never() {
    return Timestamp.newBuilder().setSeconds(Long.MIN_VALUE).setNanos(-1).build();
  }
}
