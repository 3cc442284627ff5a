package io.watchgate.e2e.apiserver;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * JUnit extension that starts servers for {@link WithApiserver} and stops each at the end of its
 * scope.
 */
final class ApiserverExtension implements ParameterResolver, TestWatcher {
  private static final Namespace NAMESPACE = Namespace.create(ApiserverExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Apiserver.class;
  }

  @Override
  public Apiserver resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Optional<OwnApiserver> own = parameter.findAnnotation(OwnApiserver.class);
    if (own.isEmpty()) {
      return context
          .getRoot()
          .getStore(NAMESPACE)
          .computeIfAbsent("shared", key -> Apiserver.start("shared", List.of()), Apiserver.class);
    }
    String name = context.getDisplayName().replaceAll("[^A-Za-z0-9]+", "-");
    return context
        .getStore(NAMESPACE)
        .computeIfAbsent(
            "own " + parameter.getIndex(),
            key ->
                own.get().audited()
                    ? Apiserver.startAudited(name, List.of(own.get().flags()))
                    : Apiserver.start(name, List.of(own.get().flags())),
            Apiserver.class);
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    System.err.println(
        context.getDisplayName() + " failed; logs of the apiservers: " + Apiserver.logs());
  }
}
