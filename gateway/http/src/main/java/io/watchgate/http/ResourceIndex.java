package io.watchgate.http;

import io.watchgate.cache.ApiResource;
import io.watchgate.http.ServedResource.Subresource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Index of the resources that a catalog serves at one moment. */
record ResourceIndex(List<ServedResource> all) {

  ResourceIndex {
    all = List.copyOf(all);
  }

  /** Returns the resources of one version of a group, in their order. */
  List<ServedResource> of(String group, String version) {
    return all.stream()
        .filter(resource -> type(resource).group().equals(group))
        .filter(resource -> type(resource).version().equals(version))
        .toList();
  }

  /**
   * Returns the versions of each group, both in the order of discovery. The core group is the empty
   * one.
   */
  Map<String, List<String>> versions() {
    Map<String, List<String>> versions = new LinkedHashMap<>();
    for (ServedResource resource : all) {
      List<String> known =
          versions.computeIfAbsent(type(resource).group(), group -> new ArrayList<>());
      if (!known.contains(type(resource).version())) {
        known.add(type(resource).version());
      }
    }
    return versions;
  }

  @Nullable ServedResource find(ApiPath path) {
    for (ServedResource resource : all) {
      ApiResource type = type(resource);
      if (type.resource().equals(path.resource())
          && type.group().equals(path.group())
          && type.version().equals(path.version())
          && (type.isNamespaced() || path.namespace().isEmpty())) {
        return resource;
      }
    }
    return null;
  }

  /**
   * Returns whether the apiserver itself answers for a group, with a Status. For unknown groups,
   * and for groups of custom resources, the response is a plain page.
   */
  boolean isBuiltInGroup(String group) {
    return all.stream()
        .map(ServedResource::definition)
        .anyMatch(definition -> definition.type().group().equals(group) && !definition.isCustom());
  }

  static Optional<Subresource> subresource(ServedResource resource, String name) {
    return resource.subresources().stream().filter(each -> each.name().equals(name)).findFirst();
  }

  static ApiResource type(ServedResource resource) {
    return resource.definition().type();
  }
}
