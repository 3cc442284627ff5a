package io.watchgate.sandbox;

import java.util.ArrayList;
import java.util.List;

/** Strategy of custom resources, which may have any content. */
final class CustomStrategy extends TypeStrategy {
  CustomStrategy(Status status) {
    super(NameRule.SUBDOMAIN, traits(status));
  }

  /** Kind of the status: a subresource, or a plain member of the object. */
  enum Status {
    SUBRESOURCE,
    PLAIN
  }

  private static Trait[] traits(Status status) {
    List<Trait> traits =
        new ArrayList<>(List.of(Trait.CUSTOM, Trait.GENERATION, Trait.VERSION_REQUIRED));
    if (status == Status.SUBRESOURCE) {
      traits.add(Trait.STATUS);
    }
    return traits.toArray(Trait[]::new);
  }
}
