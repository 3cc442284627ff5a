package io.watchgate.cli;

import static io.watchgate.proto.v1.EventType.EVENT_TYPE_ADDED;
import static io.watchgate.proto.v1.EventType.EVENT_TYPE_DELETED;
import static io.watchgate.proto.v1.EventType.EVENT_TYPE_MODIFIED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the condition that all objects have to meet. */
final class UntilAllTest {
  private static UntilAll until(String expression) {
    return new UntilAll(new UntilCondition.Converter().convert(expression));
  }

  @Test
  void condition_someMeetIt_waits_allMeetIt_isMet() {
    UntilAll until = until("{.v}>=5");
    until.apply(
        List.of(
            ScriptedGateway.event(EVENT_TYPE_ADDED, "one", 5),
            ScriptedGateway.event(EVENT_TYPE_ADDED, "two", 4)));
    assertThat(until.met("10")).isEmpty();

    until.apply(List.of(ScriptedGateway.event(EVENT_TYPE_MODIFIED, "two", 6)));
    assertThat(until.met("11")).contains("all 2 objects at version 11");

    until.apply(List.of(ScriptedGateway.event(EVENT_TYPE_MODIFIED, "one", 3)));
    assertThat(until.met("12")).isEmpty();
  }

  @Test
  void condition_lastUnmetObjectIsDeleted_isMet() {
    UntilAll until = until("{.v}>=5");
    until.apply(
        List.of(
            ScriptedGateway.event(EVENT_TYPE_ADDED, "one", 5),
            ScriptedGateway.event(EVENT_TYPE_ADDED, "two", 4),
            ScriptedGateway.event(EVENT_TYPE_DELETED, "two", 6)));
    assertThat(until.met("10")).contains("the only object at version 10");
  }

  @Test
  void noObjects_deletedIsMet_otherConditionsAreNot() {
    assertThat(until("{.v}>=5").met("10")).isEmpty();
    assertThat(until("created").met("10")).isEmpty();
    assertThat(until("deleted").met("10")).contains("nothing matches at version 10");
  }

  @Test
  void deleted_objectIsThere_waitsUntilAllAreGone() {
    UntilAll until = until("deleted");
    until.apply(List.of(ScriptedGateway.event(EVENT_TYPE_ADDED, "one", 5)));
    assertThat(until.met("10")).isEmpty();

    until.apply(List.of(ScriptedGateway.event(EVENT_TYPE_DELETED, "one", 6)));
    assertThat(until.met("11")).contains("nothing matches at version 11");
  }
}
