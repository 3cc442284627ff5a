package io.watchgate.select;

import io.watchgate.json.ObjectView;
import java.nio.charset.StandardCharsets;

/** A {@link FieldRequirement} made ready for comparing with the bytes of objects. */
final class FieldCondition {
  private final FieldSource source;
  private final byte[] value;
  private final boolean equal;

  FieldCondition(FieldRequirement requirement, FieldSource source) {
    this.source = source;
    this.value = requirement.value().getBytes(StandardCharsets.UTF_8);
    this.equal = requirement.operator() == FieldRequirement.Operator.EQUAL;
  }

  FieldSource source() {
    return source;
  }

  boolean matches(ObjectView view) {
    return source.is(view, value) == equal;
  }
}
