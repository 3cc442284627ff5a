package io.watchgate.kube;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All types that an apiserver serves, at one moment.
 *
 * @param types the core group first, then in the apiserver's order of priority; the versions of a
 *     group in its order of preference
 * @param silentGroups groups whose own apiserver did not answer: their types are unknown
 */
record DiscoveredTypes(List<DiscoveredType> types, Set<String> silentGroups) {
  /** Length of a DNS label, which each name of a type is: longer texts are similar to none. */
  private static final int MAX_NAME = 63;

  private static final int MAX_NEAR = 5;

  DiscoveredTypes {
    types = List.copyOf(types);
    silentGroups = Set.copyOf(silentGroups);
  }

  /**
   * Returns these types, with those of {@code before} for the groups that do not answer now: an
   * unavailable apiserver does not end its types.
   */
  DiscoveredTypes withSilentGroupsOf(DiscoveredTypes before) {
    Set<ApiResource> known = types.stream().map(DiscoveredType::type).collect(Collectors.toSet());
    List<DiscoveredType> all = new ArrayList<>(types);
    for (DiscoveredType served : before.types) {
      if (silentGroups.contains(served.type().group()) && !known.contains(served.type())) {
        all.add(served);
      }
    }
    return new DiscoveredTypes(all, silentGroups);
  }

  /** Returns {@code pods}, {@code deployments.apps}: the types without their versions. */
  Set<String> groupResources() {
    return types.stream().map(served -> served.type().groupResource()).collect(Collectors.toSet());
  }

  /**
   * Returns the type of that name. Without a group and a version, all groups are searched, the core
   * group first. A plural in any group takes precedence over a singular, a singular over a kind, a
   * kind over a short name.
   */
  @Nullable DiscoveredType find(TypeReference name) {
    for (TypeReference reading : interpretations(name)) {
      for (DiscoveredType.NameClass as : DiscoveredType.NameClass.values()) {
        for (DiscoveredType type : types) {
          if (matches(type, reading) && type.hasName(reading.resource(), as)) {
            return type;
          }
        }
      }
    }
    return null;
  }

  private static boolean matches(DiscoveredType served, TypeReference name) {
    boolean anyGroup = name.group().isEmpty() && name.version().isEmpty();
    return (anyGroup || served.type().group().equals(name.group()))
        && (name.version().isEmpty() || served.type().version().equals(name.version()));
  }

  /** Returns the possible meanings of a name, the likeliest first. */
  private static List<TypeReference> interpretations(TypeReference name) {
    String resource = name.resource().toLowerCase(Locale.ROOT);
    List<TypeReference> readings = new ArrayList<>();
    readings.add(new TypeReference(name.group(), name.version(), resource));
    if (!name.group().isEmpty() || !name.version().isEmpty()) {
      return readings;
    }
    String[] path = resource.split("/", -1);
    if (path.length == 3) { // apps/v1/deployments
      readings.add(new TypeReference(path[0], path[1], path[2]));
    } else if (path.length == 2) { // v1/pods
      readings.add(new TypeReference("", path[0], path[1]));
      readings.add(new TypeReference(path[0], "", path[1]));
    }
    int dot = resource.indexOf('.');
    if (dot > 0) {
      String plural = resource.substring(0, dot);
      String rest = resource.substring(dot + 1);
      readings.add(new TypeReference(rest, "", plural)); // deployments.apps
      int second = rest.indexOf('.');
      readings.add( // deployments.v1.apps, pods.v1
          second < 0
              ? new TypeReference("", rest, plural)
              : new TypeReference(rest.substring(second + 1), rest.substring(0, second), plural));
    }
    return readings;
  }

  /** Returns whether an unknown name may belong to a group that did not answer. */
  boolean mayBeInSilentGroup(TypeReference name) {
    return interpretations(name).stream()
        .anyMatch(reading -> silentGroups.contains(reading.group()));
  }

  /** Returns each type once, in its preferred version. */
  List<DiscoveredType> preferred() {
    Map<String, DiscoveredType> first = new LinkedHashMap<>();
    for (DiscoveredType type : types) {
      first.putIfAbsent(type.type().groupResource(), type);
    }
    return List.copyOf(first.values());
  }

  /** Returns at most five similar names, best first. */
  List<String> similarNames(TypeReference name) {
    record Near(String name, int distance) {}
    List<Near> near = new ArrayList<>();
    for (DiscoveredType served : preferred()) {
      int best = Integer.MAX_VALUE;
      for (TypeReference reading : interpretations(name)) {
        String wanted = reading.resource();
        if (wanted.isEmpty() || wanted.length() > MAX_NAME) {
          continue;
        }
        best = Math.min(best, EditDistance.between(wanted, served.type().resource()));
        if (!served.singular().isEmpty()) {
          best = Math.min(best, EditDistance.between(wanted, served.singular()));
        }
        for (String shortName : served.shortNames()) {
          if (shortName.length() > 2) { // all names of two letters are similar
            best = Math.min(best, EditDistance.between(wanted, shortName));
          }
        }
        if (best > Math.max(1, wanted.length() / 3)) {
          best = Integer.MAX_VALUE;
        }
      }
      if (best < Integer.MAX_VALUE) {
        near.add(new Near(served.type().groupResource(), best));
      }
    }
    return near.stream()
        .sorted(Comparator.comparingInt(Near::distance))
        .limit(MAX_NEAR)
        .map(Near::name)
        .toList();
  }
}
