package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the comparison of a store's changes with its states, on written lines. */
final class PackageStoresTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private static final String FIRST = object("web", "u1", "5");
  private static final String SECOND = object("web", "u1", "6");
  private static final String THIRD = object("web", "u1", "7");
  private static final String OTHER = object("web", "u2", "8");

  @TempDir Path folder;

  @Test
  void changesOfTwoReaders_thatGiveTheStates_areRight() throws IOException {
    assertThat(
            wrong(
                reader(1),
                change(null, FIRST),
                state("5", FIRST),
                change(FIRST, SECOND),
                state("6", SECOND),
                reader(2),
                change(null, SECOND),
                change(SECOND, OTHER),
                state("8", OTHER)))
        .isEmpty();
  }

  @Test
  void deletion_isRight() throws IOException {
    assertThat(
            wrong(
                reader(1),
                change(null, FIRST),
                state("5", FIRST),
                change(FIRST, null),
                gone("6", "shop/web")))
        .isEmpty();
  }

  @Test
  void droppedChange_followedByAnother_isWrong() throws IOException {
    assertThat(wrong(reader(1), change(null, FIRST), change(SECOND, THIRD), state("7", THIRD)))
        .singleElement()
        .asString()
        .contains("reader 1 got a change of shop/web from");
  }

  @Test
  void droppedLastChange_isWrong() throws IOException {
    assertThat(wrong(reader(1), change(null, FIRST), state("6", SECOND)))
        .singleElement()
        .asString()
        .contains("its changes gave none of its states", "shop/web");
  }

  @Test
  void droppedDeletion_isWrong() throws IOException {
    assertThat(wrong(reader(1), change(null, FIRST), state("5", FIRST), gone("6", "shop/web")))
        .singleElement()
        .asString()
        .contains("its changes gave none of its states", "shop/web");
  }

  @Test
  void readerThatGetsNothing_isWrong() throws IOException {
    assertThat(wrong(reader(1), change(null, FIRST), state("5", FIRST), reader(2), state("6")))
        .singleElement()
        .asString()
        .contains("its changes gave none of its states", "shop/web");
  }

  @Test
  void repeatedChange_isWrong() throws IOException {
    assertThat(
            wrong(
                reader(1),
                change(null, FIRST),
                change(FIRST, SECOND),
                change(FIRST, SECOND),
                state("6", SECOND)))
        .anyMatch(one -> one.contains("from"))
        .anyMatch(one -> one.contains("after its version 6"));
  }

  @Test
  void olderVersion_isWrong() throws IOException {
    assertThat(
            wrong(
                reader(1),
                change(null, SECOND),
                change(SECOND, null),
                change(null, FIRST),
                state("6", FIRST)))
        .singleElement()
        .asString()
        .contains("after its version 6");
  }

  @Test
  void changeOfNothing_isWrong() throws IOException {
    assertThat(wrong(reader(1), change(null, FIRST), change(FIRST, FIRST), state("5", FIRST)))
        .anyMatch(one -> one.contains("differs in nothing"));
  }

  /** Returns the contradictions in the lines, the last of which is a state. */
  private List<String> wrong(ObjectNode... lines) throws IOException {
    Path output = folder.resolve("lines");
    Files.write(output, List.of(lines).stream().map(ObjectNode::toString).toList());
    PackageStores stores =
        new PackageStores(
            "written",
            Program.of("sh", "-c", "cat \"$0\"", output.toString()),
            List.of(),
            List.of(InformerSelection.in(Set.of("shop")).getFirst()),
            1);
    try {
      PackageStore store = stores.stores().getFirst();
      int states = (int) List.of(lines).stream().filter(line -> line.has("gone")).count();
      await().atMost(LIMIT).until(() -> store.stateCount() == states);
      store.compareChanges(Duration.ZERO);
      return store.wrong();
    } finally {
      stores.close();
    }
  }

  private static ObjectNode line() {
    return JsonNodeFactory.instance.objectNode().put("store", 0);
  }

  private static ObjectNode reader(int number) {
    return line().put("reader", number);
  }

  private static ObjectNode change(@Nullable String before, @Nullable String after) {
    return line().put("reader", 1).put("key", "shop/web").put("old", before).put("new", after);
  }

  private static ObjectNode state(String version, String... changed) {
    ObjectNode state = line().put("resourceVersion", version);
    state.putArray("gone");
    List.of(changed).forEach(state.putArray("changed")::add);
    return state;
  }

  private static ObjectNode gone(String version, String key) {
    ObjectNode state = line().put("resourceVersion", version);
    state.putArray("gone").add(key);
    state.putArray("changed");
    return state;
  }

  private static String object(String name, String uid, String version) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object
        .putObject("metadata")
        .put("namespace", "shop")
        .put("name", name)
        .put("uid", uid)
        .put("resourceVersion", version);
    return object.toString();
  }
}
