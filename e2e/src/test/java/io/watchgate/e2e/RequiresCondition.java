package io.watchgate.e2e;

import java.lang.reflect.AnnotatedElement;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

final class RequiresCondition implements ExecutionCondition {
  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    Optional<String> missing =
        context.getElement().stream()
            .flatMap(RequiresCondition::requirements)
            .flatMap(tool -> tool.missing().stream())
            .findFirst();
    if (missing.isEmpty()) {
      return ConditionEvaluationResult.enabled("all tools are there");
    }
    if ("true".equals(System.getenv("CI"))) {
      throw new IllegalStateException(
          missing.get() + ". It is not optional where CI=true; install it and run again.");
    }
    return ConditionEvaluationResult.disabled(missing.get());
  }

  private static Stream<RequiredTool> requirements(AnnotatedElement element) {
    return AnnotationSupport.findRepeatableAnnotations(element, Requires.class).stream()
        .map(Requires::value);
  }
}
