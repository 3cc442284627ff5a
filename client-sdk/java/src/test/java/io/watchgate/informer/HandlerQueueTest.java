package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/**
 * Tests that a handler, however slow, receives consistent changes that lead to the current state.
 */
final class HandlerQueueTest {
  private static final int KEYS = 4;

  /** Handler that checks each change against the state after the previous changes. */
  private static final class CheckingHandler implements Handler<String> {
    final Map<NamespacedName, StoredObject<String>> known = new HashMap<>();
    final List<String> calls = new ArrayList<>();

    @Override
    public void onAdd(StoredObject<String> object) {
      assertThat(known.put(object.key(), object)).as("added %s", object).isNull();
      calls.add("add " + object);
    }

    @Override
    public void onUpdate(StoredObject<String> before, StoredObject<String> after) {
      assertThat(known.put(after.key(), after)).as("before %s", after).isSameAs(before);
      assertThat(after.uid()).isEqualTo(before.uid());
      calls.add("update " + after);
    }

    @Override
    public void onDelete(StoredObject<String> last, DeletionReason removal) {
      StoredObject<String> before =
          Objects.requireNonNull(known.remove(last.key()), last.toString());
      assertThat(before.uid()).isEqualTo(last.uid());
      calls.add("delete " + last);
    }
  }

  private static StoredObject<String> object(int name, int uid, int version) {
    return new StoredObject<>(
        new NamespacedName("", "o-" + name), "uid-" + uid, Integer.toString(version), "", null, 0);
  }

  private static void callHandler(HandlerQueue<String> queue, CheckingHandler handler) {
    HandlerQueue.Item<String> item = queue.next();
    if (item instanceof HandlerQueue.SingleChange<String> one) {
      one.change().notifyRemoval(handler);
      one.change().notifyState(handler);
    }
  }

  @RepeatedTest(200)
  void mergedChanges_keepOrderAndLeadToCurrentState() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    HandlerQueue<String> queue = new HandlerQueue<>(HandlerSettings.DEFAULT.conflating());
    CheckingHandler handler = new CheckingHandler();
    Map<NamespacedName, StoredObject<String>> truth = new HashMap<>();
    int version = 0;
    for (int step = 0; step < 300; step++) {
      int name = random.nextInt(KEYS);
      @Nullable StoredObject<String> before = truth.get(object(name, 0, 1).key());
      version++;
      if (random.nextInt(3) == 0) {
        callHandler(queue, handler);
      } else if (before == null) {
        StoredObject<String> added = object(name, version, version);
        truth.put(added.key(), added);
        queue.add(Change.added(added));
      } else if (random.nextBoolean()) {
        truth.remove(before.key());
        queue.add(new Change<>(before, DeletionReason.DELETED, before, null));
      } else {
        StoredObject<String> after =
            new StoredObject<>(before.key(), before.uid(), Integer.toString(version), "", null, 0);
        truth.put(after.key(), after);
        queue.add(Change.updated(before, after));
      }
      assertThat(queue.changeCount()).as("seed %d", seed).isBetween(0, KEYS);
    }
    while (!queue.isEmpty()) {
      callHandler(queue, handler);
    }

    assertThat(handler.known).as("seed %d", seed).isEqualTo(truth);
    assertThat(queue.changeCount()).isZero();
  }

  @Test
  void recreation_isDeliveredAsDeleteAndAdd() {
    HandlerQueue<String> queue = new HandlerQueue<>(HandlerSettings.DEFAULT.conflating());
    CheckingHandler handler = new CheckingHandler();
    queue.add(Change.added(object(1, 1, 1)));
    callHandler(queue, handler);
    StoredObject<String> known = Objects.requireNonNull(handler.known.get(object(1, 1, 1).key()));
    StoredObject<String> last = object(1, 1, 2);
    queue.add(Change.updated(known, last));
    queue.add(new Change<>(last, DeletionReason.DELETED, last, null));
    StoredObject<String> next = object(1, 2, 3);
    queue.add(Change.added(next));
    queue.add(Change.updated(next, object(1, 2, 4)));
    callHandler(queue, handler);

    assertThat(handler.calls).containsExactly("add o-1 at 1", "delete o-1 at 2", "add o-1 at 4");
  }

  @Test
  void blockPolicy_queuesUpToItsCapacity() {
    HandlerQueue<String> queue = new HandlerQueue<>(HandlerSettings.DEFAULT.withCapacity(2));
    queue.add(Change.added(object(1, 1, 1)));
    assertThat(queue.hasRoom()).isTrue();
    queue.add(Change.updated(object(1, 1, 1), object(1, 1, 2)));

    assertThat(queue.hasRoom()).isFalse();
    assertThat(queue.changeCount()).isEqualTo(2);
    assertThat(queue.next()).isNotNull();
    assertThat(queue.hasRoom()).isTrue();
  }

  @Test
  void resync_neverDeliversOldStateAfterNewState() {
    HandlerQueue<String> queue = new HandlerQueue<>(HandlerSettings.DEFAULT.conflating());
    StoredObject<String> first = object(1, 1, 1);
    StoredObject<String> second = object(1, 1, 2);
    StoredObject<String> third = object(1, 1, 3);
    queue.add(Change.updated(first, second));
    queue.add(new HandlerQueue.Resync<>(Snapshot.<String>empty(List.of()).with(second)));
    queue.add(new HandlerQueue.Resync<>(Snapshot.<String>empty(List.of()).with(second)));
    queue.add(Change.updated(second, third));

    assertThat(queue.next())
        .isEqualTo(new HandlerQueue.SingleChange<>(Change.updated(first, second)));
    assertThat(queue.next()).isInstanceOf(HandlerQueue.Resync.class);
    assertThat(queue.next())
        .isEqualTo(new HandlerQueue.SingleChange<>(Change.updated(second, third)));
    assertThat(queue.next()).isNull();
  }
}
