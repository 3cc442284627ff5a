package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class EpochTest {
  private static TypeDefinition definition(
      String group, String version, String resource, String definitionUid) {
    return new TypeDefinition(
        new ResourceType(group, version, resource, "Thing", ResourceType.Scope.NAMESPACED),
        "thing",
        List.of(),
        List.of("list", "watch"),
        definitionUid,
        List.of());
  }

  @Test
  void replicasThatLearnTheSameFactsHaveTheSameHistory() {
    assertThat(new Epoch("c", definition("g", "v1", "things", "u")).historyId())
        .isEqualTo(new Epoch("c", definition("g", "v1", "things", "u")).historyId())
        .matches("[0-9a-f]{16}-[0-9a-f]{16}");
  }

  @Test
  void whatMakesAnotherHistoryMakesAnotherId() {
    Set<String> ids = new HashSet<>();
    for (Epoch epoch :
        List.of(
            new Epoch("c", definition("g", "v1", "things", "u")),
            new Epoch("d", definition("g", "v1", "things", "u")),
            new Epoch("c", definition("h", "v1", "things", "u")),
            new Epoch("c", definition("g", "v2", "things", "u")),
            new Epoch("c", definition("g", "v1", "thing", "su")),
            new Epoch("c", definition("g", "v1", "things", "w")),
            new Epoch("c", definition("", "v1", "things", "")))) {
      ids.add(epoch.historyId());
    }
    assertThat(ids).hasSize(7);
  }

  @Test
  void whatDiscoverySaysBesideTheIdentityMakesNoOtherHistory() {
    TypeDefinition definition = definition("g", "v1", "things", "u");
    TypeDefinition renamed =
        new TypeDefinition(
            definition.type(),
            "other",
            List.of("th"),
            List.of("list", "watch", "get"),
            "u",
            List.of("spec.x"));
    assertThat(new Epoch("c", renamed).historyId())
        .isEqualTo(new Epoch("c", definition).historyId());
  }

  /** Part of the token format: tokens of replicas of other versions carry it. */
  @Test
  void theHashIsTheSameInAllVersionsOfTheGateway() {
    assertThat(new Epoch("c", definition("g", "v1", "things", "u")).historyId())
        .isEqualTo("63774aa1aa276dc9-c465541012a735eb");
  }

  @Test
  void partsThatOnlyJoinAlikeHashDifferently() {
    assertThat(Epoch.hash("a", "bc")).isNotEqualTo(Epoch.hash("ab", "c")).hasSize(8);
    assertThat(Epoch.hash("a", "")).isNotEqualTo(Epoch.hash("a"));
  }
}
