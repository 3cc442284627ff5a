package io.watchgate.kube;

/** Right of an account at the apiserver, as a SelfSubjectAccessReview asks for it. */
public sealed interface AccessRight {

  /** Verb as Kubernetes writes it. */
  String verb();

  /**
   * Right on the objects of a type.
   *
   * @param group empty for the core group
   * @param resource plural name
   * @param namespace empty for all namespaces
   * @param name empty for all objects
   */
  record OnResource(String group, String resource, String namespace, String name, String verb)
      implements AccessRight {}

  /** Right on a path that belongs to no type, such as {@code /apis}. */
  record OnPath(String path, String verb) implements AccessRight {}
}
