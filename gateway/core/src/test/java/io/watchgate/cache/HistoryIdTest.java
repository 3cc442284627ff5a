package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class HistoryIdTest {
  private static TypeDefinition definition(
      String group, String version, String resource, String definitionUid) {
    return new TypeDefinition(
        new ApiResource(group, version, resource, "Thing", ApiResource.Scope.NAMESPACED),
        "thing",
        List.of(),
        List.of("list", "watch"),
        definitionUid,
        List.of());
  }

  @Test
  void equalFacts_giveEqualHistoryId() {
    assertThat(new HistoryId("c", definition("g", "v1", "things", "u")).text())
        .isEqualTo(new HistoryId("c", definition("g", "v1", "things", "u")).text())
        .matches("[0-9a-f]{16}-[0-9a-f]{16}");
  }

  @Test
  void otherHistory_hasOtherId() {
    Set<String> ids = new HashSet<>();
    for (HistoryId historyId :
        List.of(
            new HistoryId("c", definition("g", "v1", "things", "u")),
            new HistoryId("d", definition("g", "v1", "things", "u")),
            new HistoryId("c", definition("h", "v1", "things", "u")),
            new HistoryId("c", definition("g", "v2", "things", "u")),
            new HistoryId("c", definition("g", "v1", "thing", "su")),
            new HistoryId("c", definition("g", "v1", "things", "w")),
            new HistoryId("c", definition("", "v1", "things", "")))) {
      ids.add(historyId.text());
    }
    assertThat(ids).hasSize(7);
  }

  @Test
  void discoveryDetails_doNotChangeId() {
    TypeDefinition definition = definition("g", "v1", "things", "u");
    TypeDefinition renamed =
        new TypeDefinition(
            definition.type(),
            "other",
            List.of("th"),
            List.of("list", "watch", "get"),
            "u",
            List.of("spec.x"));
    assertThat(new HistoryId("c", renamed).text()).isEqualTo(new HistoryId("c", definition).text());
  }

  /** The id is part of the token format: tokens of replicas of other versions contain it. */
  @Test
  void hash_isStableAcrossVersions() {
    assertThat(new HistoryId("c", definition("g", "v1", "things", "u")).text())
        .isEqualTo("63774aa1aa276dc9-c465541012a735eb");
  }

  @Test
  void partsWithEqualConcatenation_hashDifferently() {
    assertThat(HistoryId.hash("a", "bc")).isNotEqualTo(HistoryId.hash("ab", "c")).hasSize(8);
    assertThat(HistoryId.hash("a", "")).isNotEqualTo(HistoryId.hash("a"));
  }
}
