package io.watchgate.e2e.apiserver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Variant of {@link WithApiserver} for classes that use the server of the entire run. These classes
 * run one after another, because each may expect that only few writes of others are made.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@WithApiserver
@Execution(ExecutionMode.SAME_THREAD)
public @interface WithSharedApiserver {}
