package io.watchgate.e2e.apiserver;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** Resolves parameters of type {@link Apiserver} in this class to a running server. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Requires(RequiredTool.GO)
@ExtendWith(ApiserverExtension.class)
public @interface WithApiserver {}
