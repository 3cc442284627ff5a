package io.watchgate.e2e.apiserver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * This parameter is a server of its own: of the test method, or of the class if it is a parameter
 * of a method for the whole class.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface OwnApiserver {
  /** Config maps without watch cache: only so does a compaction expire a watch of them. */
  String UNCACHED = "--watch-cache-sizes=configmaps#0";

  /** Nothing is compacted unless a test does it. */
  String UNCOMPACTED = "--etcd-compaction-interval=0";

  /** Flags of kube-apiserver. */
  String[] flags() default {};
}
