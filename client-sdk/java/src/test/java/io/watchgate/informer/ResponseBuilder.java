package io.watchgate.informer;

import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ObjectPatch;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;

/** Builder of valid and invalid responses of a gateway. */
final class ResponseBuilder {
  static final String HISTORY = "history";

  private ResponseBuilder() {}

  static ListAndWatchResponse opened() {
    return ListAndWatchResponse.newBuilder().setOpened(StreamOpened.getDefaultInstance()).build();
  }

  static ListAndWatchResponse begun() {
    return begun(SnapshotReason.SNAPSHOT_REASON_REQUESTED, HISTORY);
  }

  static ListAndWatchResponse begun(SnapshotReason reason, String history) {
    return ListAndWatchResponse.newBuilder()
        .setSnapshotStarted(SnapshotStarted.newBuilder().setReason(reason).setHistoryId(history))
        .build();
  }

  static ListAndWatchResponse synced(String version, long objects) {
    return at(version).setSynced(Synced.newBuilder().setObjects(objects)).build();
  }

  static ListAndWatchResponse bookmark(String version) {
    return at(version).setBookmark(Bookmark.getDefaultInstance()).build();
  }

  static ListAndWatchResponse resumed(String version) {
    return at(version).setResumed(Resumed.getDefaultInstance()).build();
  }

  /** Returns events inside a group, without a position. */
  static ListAndWatchResponse events(WatchEvent... events) {
    ListAndWatchResponse.Builder response = ListAndWatchResponse.newBuilder();
    for (WatchEvent event : events) {
      response.addEvents(event);
    }
    return response.build();
  }

  static ListAndWatchResponse changes(String version, WatchEvent... events) {
    return at(version).addAllEvents(events(events).getEventsList()).build();
  }

  static ListAndWatchResponse.Builder at(String version) {
    return ListAndWatchResponse.newBuilder()
        .setResourceVersion(version)
        .setResumeToken(ByteString.copyFromUtf8("token"));
  }

  static WatchEvent added(String name, String uid, String version, String json) {
    return event(EventType.EVENT_TYPE_ADDED, name, uid, version)
        .setObject(ByteString.copyFromUtf8(json))
        .build();
  }

  static WatchEvent modified(String name, String uid, String version, String json) {
    return event(EventType.EVENT_TYPE_MODIFIED, name, uid, version)
        .setObject(ByteString.copyFromUtf8(json))
        .build();
  }

  static WatchEvent deleted(String name, String uid, String version) {
    return event(EventType.EVENT_TYPE_DELETED, name, uid, version).build();
  }

  static WatchEvent patched(String name, String uid, String version, String base, String patch) {
    return event(EventType.EVENT_TYPE_MODIFIED, name, uid, version)
        .setPatch(
            ObjectPatch.newBuilder()
                .setBaseResourceVersion(base)
                .setJsonPatch(ByteString.copyFromUtf8(patch)))
        .build();
  }

  static WatchEvent.Builder event(EventType type, String name, String uid, String version) {
    return WatchEvent.newBuilder()
        .setType(type)
        .setResourceVersion(version)
        .setKey(io.watchgate.proto.v1.ObjectKey.newBuilder().setName(name).setUid(uid));
  }
}
