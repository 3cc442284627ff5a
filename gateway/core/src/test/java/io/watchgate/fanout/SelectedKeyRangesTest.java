package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.StateCursor;
import io.watchgate.cache.StateMap;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import io.watchgate.select.SelectionException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelectedKeyRangesTest {
  private static final SelectableFields CONFIGMAPS =
      fields("configmaps", ApiResource.Scope.NAMESPACED);
  private static final SelectableFields VOLUMES =
      fields("persistentvolumes", ApiResource.Scope.CLUSTER);

  /** Keys that sort next to n/a and would match a wrong prefix or range end. */
  private static final List<String> NAMESPACED =
      List.of(
          "m/z", "n-a/a", "n-b/a", "n.a/a", "n/a", "n/a-b", "n/a.b", "n/a0", "n/ab", "n/b", "n0/a",
          "na/a", "o/a");

  private static final List<String> CLUSTER = List.of("a", "a-b", "a.b", "a0", "ab", "b");

  private static SelectableFields fields(String plural, ApiResource.Scope scope) {
    return SelectableFields.of(
        new TypeDefinition(
            new ApiResource("", "v1", plural, "Kind", scope),
            "",
            List.of(),
            List.of(),
            "",
            List.of()));
  }

  private static StateMap state(List<String> keys) throws JsonException {
    StateMap state = StateMap.EMPTY;
    for (String key : keys) {
      int slash = key.indexOf('/');
      String namespace =
          slash < 0 ? "" : "\"namespace\":\"%s\",".formatted(key.substring(0, slash));
      String json =
          "{\"metadata\":{%s\"name\":\"%s\",\"uid\":\"u\",\"resourceVersion\":\"1\"}}"
              .formatted(namespace, key.substring(slash + 1));
      state = state.with(KubeObject.read(json.getBytes(StandardCharsets.UTF_8), FieldPaths.NONE));
    }
    return state;
  }

  private static List<String> keys(StateMap state, List<KeyRange> ranges) {
    List<String> keys = new ArrayList<>();
    for (KeyRange range : ranges) {
      StateCursor cursor = state.cursor(range);
      for (KubeObject object = cursor.peek(); object != null; object = cursor.peek()) {
        keys.add(new String(object.key(), StandardCharsets.UTF_8));
        cursor.advance();
      }
    }
    return keys;
  }

  private static CompiledSelection selection(
      SelectableFields type, String namespaces, String fields) throws SelectionException {
    List<String> list = namespaces.isEmpty() ? List.of() : List.of(namespaces.split(" "));
    return CompiledSelection.of(type, list, "", fields);
  }

  @ParameterizedTest
  @CsvSource({
    "n,       metadata.name=a,                         n/a",
    "n n-a o, metadata.name=a,                         n-a/a n/a o/a",
    "n,       metadata.name=c,                         ''",
    "n,       metadata.name=,                          ''",
    "'',      'metadata.name=a,metadata.namespace=n',  n/a",
    "n o,     'metadata.name=a,metadata.namespace=n',  n/a",
    "'',      metadata.namespace=n,                    n/a n/a-b n/a.b n/a0 n/ab n/b",
    "n o,     metadata.namespace=o,                    o/a",
    "n,       '',                                      n/a n/a-b n/a.b n/a0 n/ab n/b",
    "n n-a,   '',                                      n-a/a n/a n/a-b n/a.b n/a0 n/ab n/b",
  })
  void namespaceAndName_limitTheRanges(String namespaces, String fields, String keys)
      throws Exception {
    List<KeyRange> ranges = SelectedKeyRanges.of(selection(CONFIGMAPS, namespaces, fields));
    assertThat(String.join(" ", keys(state(NAMESPACED), ranges))).isEqualTo(keys);
  }

  @ParameterizedTest
  @CsvSource({
    "metadata.name=a,                       a",
    "'metadata.name=a,metadata.namespace=', a",
    "metadata.name=c,                       ''",
    "metadata.namespace=a,                  ''",
    "metadata.namespace=,                   a a-b a.b a0 ab b",
  })
  void nameOfAClusterScopedType_isOneKey(String fields, String keys) throws Exception {
    List<KeyRange> ranges = SelectedKeyRanges.of(selection(VOLUMES, "", fields));
    assertThat(String.join(" ", keys(state(CLUSTER), ranges))).isEqualTo(keys);
  }

  @ParameterizedTest
  @CsvSource({
    "'', 'metadata.name=a,metadata.name=b'",
    "n,  'metadata.name=a,metadata.name=b'",
    "n,  metadata.namespace=o",
    "'', 'metadata.namespace=n,metadata.namespace=o'",
    "n,  'metadata.namespace=n,metadata.namespace='",
  })
  void contradiction_hasNoRange(String namespaces, String fields) throws Exception {
    assertThat(SelectedKeyRanges.of(selection(CONFIGMAPS, namespaces, fields))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "metadata.name=a",
    "metadata.name!=a",
    "metadata.namespace=",
    "metadata.namespace!=n"
  })
  void unboundedSelection_hasTheFullRange(String fields) throws Exception {
    assertThat(SelectedKeyRanges.of(selection(CONFIGMAPS, "", fields)))
        .containsExactly(KeyRange.ALL);
  }

  @Test
  void overlappingRanges_areMerged() throws Exception {
    StateMap state = state(NAMESPACED);
    KeyRange name = KeyRange.ofKey("n/a-b");
    KeyRange noName = KeyRange.ofKey("n/");
    KeyRange namespace = KeyRange.ofNamespace("n");
    KeyRange other = KeyRange.ofKey("n-a/a");
    assertThat(keys(state, KeyRange.union(List.of(name, noName, namespace, name, other))))
        .isEqualTo(keys(state, List.of(other, namespace)));
    assertThat(keys(state, KeyRange.union(List.of(name, KeyRange.ALL, other, KeyRange.ALL))))
        .isEqualTo(keys(state, List.of(KeyRange.ALL)));
    assertThat(KeyRange.union(List.of())).isEmpty();
  }

  @Test
  void matchingObjects_areInsideTheRanges() throws Exception {
    List<String> parts =
        List.of(
            "metadata.name=a",
            "metadata.name!=a",
            "metadata.name=a-b",
            "metadata.namespace=n",
            "metadata.namespace!=n",
            "metadata.namespace=",
            "metadata.name=");
    for (String one : parts) {
      for (String other : parts) {
        for (String namespaces : List.of("", "n", "n na", "o n-a n")) {
          holdsForAll(selection(CONFIGMAPS, namespaces, one + "," + other), NAMESPACED);
        }
        holdsForAll(selection(VOLUMES, "", one + "," + other), CLUSTER);
      }
    }
  }

  private static void holdsForAll(CompiledSelection selection, List<String> keys) throws Exception {
    StateMap state = state(keys);
    assertThat(matching(selection, state, SelectedKeyRanges.of(selection)))
        .as("%s", selection)
        .isEqualTo(matching(selection, state, List.of(KeyRange.ALL)));
  }

  private static List<String> matching(
      CompiledSelection selection, StateMap state, List<KeyRange> ranges) {
    List<String> matching = keys(state, ranges);
    matching.removeIf(
        key -> {
          KubeObject object = state.get(key.getBytes(StandardCharsets.UTF_8));
          return object == null || !selection.matches(object);
        });
    return matching;
  }
}
