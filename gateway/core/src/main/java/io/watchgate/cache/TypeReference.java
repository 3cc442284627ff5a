package io.watchgate.cache;

/**
 * Name of a resource type as a user writes it.
 *
 * @param group empty: any, the core group first; with a version, the core group
 * @param version empty for the version that the apiserver prefers
 * @param resource plural, singular, short name or kind, in any case
 */
public record TypeReference(String group, String version, String resource) {

  @Override
  public String toString() {
    return (group.isEmpty() ? resource : resource + "." + group)
        + (version.isEmpty() ? "" : "/" + version);
  }
}
