package io.watchgate.select;

import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;

/** {@link FieldRequirement} that is compiled for comparison with the bytes of objects. */
final class CompiledFieldRequirement {
  private final FieldAccessor source;
  private final byte[] value;
  private final boolean equal;

  CompiledFieldRequirement(FieldRequirement requirement, FieldAccessor source) {
    this.source = source;
    this.value = requirement.value().getBytes(StandardCharsets.UTF_8);
    this.equal = requirement.operator() == FieldRequirement.Operator.EQUAL;
  }

  FieldAccessor source() {
    return source;
  }

  boolean matches(KubeObject view) {
    return source.valueEquals(view, value) == equal;
  }
}
