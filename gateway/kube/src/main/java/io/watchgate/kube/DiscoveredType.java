package io.watchgate.kube;

import io.watchgate.cache.ApiResource;
import java.util.List;
import java.util.Locale;

/** Resource type in one version, as discovery describes it. */
record DiscoveredType(
    ApiResource type, String singular, List<String> shortNames, List<String> verbs) {

  /** Kinds of names, in kubectl's order of precedence. */
  enum NameClass {
    PLURAL,
    SINGULAR,
    KIND,
    SHORT_NAME
  }

  boolean hasName(String lowerCaseName, NameClass as) {
    if (lowerCaseName.isEmpty()) { // the singular of a type without one
      return false;
    }
    return switch (as) {
      case PLURAL -> type.resource().equals(lowerCaseName);
      case SINGULAR -> singular.equals(lowerCaseName);
      case KIND -> type.kind().toLowerCase(Locale.ROOT).equals(lowerCaseName);
      case SHORT_NAME -> shortNames.contains(lowerCaseName);
    };
  }
}
