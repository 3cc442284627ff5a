package io.watchgate.e2e.apiserver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Annotation of a parameter that gets a separate server for the test method, or for the class if it
 * is a parameter of a class-level method.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface OwnApiserver {
  /** Disables the watch cache of config maps, so that a compaction expires a watch of them. */
  String UNCACHED = "--watch-cache-sizes=configmaps#0";

  /** Disables automatic compaction. */
  String UNCOMPACTED = "--etcd-compaction-interval=0";

  /** Limits how long open watches delay {@link Apiserver#stop}: to 3 s, where 60 s is usual. */
  String STOPS_SOON = "--request-timeout=3s";

  /** Set if the server has to write an audit log, {@link Apiserver#auditLog}. */
  boolean audited() default false;

  /** Flags of kube-apiserver. */
  String[] flags() default {};
}
