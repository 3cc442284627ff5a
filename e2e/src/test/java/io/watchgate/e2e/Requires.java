package io.watchgate.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** Skips the test with a reason if a tool is missing; fails the test if {@code CI=true}. */
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(RequiresCondition.class)
@Repeatable(Requires.All.class)
public @interface Requires {
  RequiredTool value();

  /** Container of repeated annotations. */
  @Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @Inherited
  @ExtendWith(RequiresCondition.class)
  @interface All {
    Requires[] value();
  }
}
