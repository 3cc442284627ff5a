package io.watchgate.e2e.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Json;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.WatchEvent;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Check of a net effect: it must lead from the matching objects before a gap to the matching
 * objects after it by the fewest changes.
 */
record GapCheck(Truth truth, Map<String, JsonNode> before, Map<String, JsonNode> after) {
  /**
   * Checks that deletes come first, each event is a change, and the result equals the matching
   * objects.
   */
  void check(ReceivedPart.NetEffect effect) {
    Map<String, JsonNode> built = new TreeMap<>(before);
    boolean deletesAreOver = false;
    for (WatchEvent event : effect.events()) {
      String key = Subscriber.keyOf(event);
      String where = "in the net effect: " + ReceivedPart.describe(event);
      if (event.getType() == EventType.EVENT_TYPE_DELETED) {
        assertThat(deletesAreOver).as(where + " comes after other changes").isFalse();
        assertThat(built.remove(key)).as(where + " was held").isNotNull();
        assertThat(event.getRemovalReason()).as(where).isEqualTo(removalReason(effect, event));
        assertThat(uidOf(after.get(key))).as(where).isNotEqualTo(event.getKey().getUid());
      } else {
        deletesAreOver = true;
        JsonNode object = Json.parse(event.getObject().toByteArray());
        JsonNode held = built.put(key, object);
        assertThat(object.equals(held)).as(where + " changes nothing").isFalse();
        assertThat(event.getType() == EventType.EVENT_TYPE_ADDED)
            .as(where + " is new")
            .isEqualTo(held == null);
      }
    }
    assertThat(Difference.between(after, built)).as("the state after the net effect").isNull();
  }

  private RemovalReason removalReason(ReceivedPart.NetEffect effect, WatchEvent event) {
    if (!truth.isDeleted(event.getKey().getUid(), effect.position())) {
      return RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES;
    }
    return effect.reason() == NetEffectReason.NET_EFFECT_REASON_LAG
        ? RemovalReason.REMOVAL_REASON_OBJECT_DELETED
        : RemovalReason.REMOVAL_REASON_INFERRED;
  }

  long deletes() {
    return before.keySet().stream().filter(key -> !after.containsKey(key)).count();
  }

  long recreations() {
    return before.entrySet().stream()
        .filter(old -> after.containsKey(old.getKey()))
        .filter(old -> !uidOf(old.getValue()).equals(uidOf(after.get(old.getKey()))))
        .count();
  }

  private static String uidOf(@Nullable JsonNode object) {
    return object == null ? "" : object.at("/metadata/uid").asText();
  }
}
