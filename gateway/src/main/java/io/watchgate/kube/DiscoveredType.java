package io.watchgate.kube;

import io.watchgate.cache.ApiResource;
import java.util.List;
import java.util.Locale;

/** A resource type in one version, as discovery tells of it. */
record DiscoveredType(
    ApiResource type, String singular, List<String> shortNames, List<String> verbs) {

  /** What a name can be, the strongest first, as kubectl has it. */
  enum NameClass {
    PLURAL,
    SINGULAR,
    KIND,
    SHORT_NAME
  }

  boolean isCalled(String lowerCaseName, NameClass as) {
    if (lowerCaseName.isEmpty()) { // which is what a type without a singular has for one
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
