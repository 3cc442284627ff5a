package io.watchgate.informer;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Handler that records its calls. */
final class RecordingHandler implements Handler<ByteString> {
  private final List<String> told = new CopyOnWriteArrayList<>();

  @Override
  public void onAdd(StoredObject<ByteString> object) {
    told.add("add " + text(object));
  }

  @Override
  public void onUpdate(StoredObject<ByteString> before, StoredObject<ByteString> after) {
    told.add("update " + text(before) + " to " + after.value().toStringUtf8());
  }

  @Override
  public void onDelete(StoredObject<ByteString> last, DeletionReason removal) {
    told.add(removal + " " + text(last));
  }

  @Override
  public void onSynced() {
    told.add("synced");
  }

  private static String text(StoredObject<ByteString> object) {
    return object.key() + " " + object.value().toStringUtf8();
  }

  List<String> told() {
    return List.copyOf(told);
  }

  void forget() {
    told.clear();
  }

  /** Waits until the recorded calls are exactly the expected ones. */
  void awaitTold(String... expected) {
    await()
        .untilAsserted(
            () -> org.assertj.core.api.Assertions.assertThat(told).containsExactly(expected));
  }
}
