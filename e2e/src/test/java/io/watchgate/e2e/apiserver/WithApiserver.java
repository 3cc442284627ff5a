package io.watchgate.e2e.apiserver;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Annotation that resolves parameters of type {@link Apiserver} to a running server. The class runs
 * beside other classes: of the server of the entire run it may use its own namespaces only.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Requires(RequiredTool.GO)
@ExtendWith(ApiserverExtension.class)
public @interface WithApiserver {}
