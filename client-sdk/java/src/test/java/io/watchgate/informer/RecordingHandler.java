package io.watchgate.informer;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Handler that records its calls. */
final class RecordingHandler implements Handler<ByteString> {
  private final List<String> calls = new CopyOnWriteArrayList<>();

  @Override
  public void onAdd(StoredObject<ByteString> object) {
    calls.add("add " + text(object));
  }

  @Override
  public void onUpdate(StoredObject<ByteString> before, StoredObject<ByteString> after) {
    calls.add("update " + text(before) + " to " + after.value().toStringUtf8());
  }

  @Override
  public void onDelete(StoredObject<ByteString> last, DeletionReason removal) {
    calls.add(removal + " " + text(last));
  }

  @Override
  public void onSynced() {
    calls.add("synced");
  }

  private static String text(StoredObject<ByteString> object) {
    return object.key() + " " + object.value().toStringUtf8();
  }

  List<String> calls() {
    return List.copyOf(calls);
  }

  void forget() {
    calls.clear();
  }

  /** Waits until the recorded calls are exactly the expected ones. */
  void awaitTold(String... expected) {
    await()
        .untilAsserted(
            () -> org.assertj.core.api.Assertions.assertThat(calls).containsExactly(expected));
  }
}
