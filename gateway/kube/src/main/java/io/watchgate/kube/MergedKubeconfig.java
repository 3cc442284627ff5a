package io.watchgate.kube;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Entries of one kubeconfig file, or of several, merged as kubectl does. An entry is taken
 * completely from the first file with its name, the current context from the first file that names
 * one.
 *
 * @param source the files, for errors
 * @param currentContext empty if no file names one
 */
record MergedKubeconfig(
    String source,
    String currentContext,
    Map<String, KubeconfigSection> contexts,
    Map<String, KubeconfigSection> clusters,
    Map<String, KubeconfigSection> users) {
  private static final int MAX_NAMES = 20;
  private static final int MAX_NEAR = 3;

  /** Returns the entries of one file, which must exist. */
  static MergedKubeconfig of(Path file) throws ConfigException {
    return merged(List.of(KubeconfigFile.read(file)));
  }

  /** Returns the entries of the files that exist and are not empty; there must be at least one. */
  static MergedKubeconfig of(List<Path> files) throws ConfigException {
    List<KubeconfigFile> read = new ArrayList<>();
    for (Path file : new LinkedHashSet<>(files)) {
      KubeconfigFile found = Files.notExists(file) ? null : KubeconfigFile.readUnlessEmpty(file);
      if (found != null) {
        read.add(found);
      }
    }
    if (read.isEmpty()) {
      boolean none = files.stream().allMatch(Files::notExists);
      String named =
          files.isEmpty()
              ? "no file"
              : (none ? "only files that do not exist (" : "only files that are empty or missing (")
                  + files.stream().map(Path::toString).collect(Collectors.joining(", "))
                  + ")";
      throw new ConfigException(
          "KUBECONFIG names " + named + "; correct it, or name your kubeconfig with --kubeconfig");
    }
    return merged(read);
  }

  private static MergedKubeconfig merged(List<KubeconfigFile> files) {
    String current = "";
    Map<String, KubeconfigSection> contexts = new LinkedHashMap<>();
    Map<String, KubeconfigSection> clusters = new LinkedHashMap<>();
    Map<String, KubeconfigSection> users = new LinkedHashMap<>();
    for (KubeconfigFile file : files) {
      if (current.isEmpty()) {
        current = file.currentContext();
      }
      file.contexts().forEach(contexts::putIfAbsent);
      file.clusters().forEach(clusters::putIfAbsent);
      file.users().forEach(users::putIfAbsent);
    }
    String source =
        files.stream().map(file -> file.file().toString()).collect(Collectors.joining(", "));
    return new MergedKubeconfig(source, current, contexts, clusters, users);
  }

  /**
   * Returns the context of a name.
   *
   * @param named empty: the current one
   */
  KubeconfigSection context(String named) throws ConfigException {
    String name = named.isEmpty() ? currentContext : named;
    if (name.isEmpty()) {
      throw new ConfigException(
          source
              + ": names no current-context; set one, or name one of its contexts with --context: "
              + names(contexts));
    }
    KubeconfigSection context = contexts.get(name);
    if (context == null) {
      throw new ConfigException(
          source
              + ": has no context \""
              + name
              + "\""
              + (named.isEmpty() ? ", which is its current-context" : "")
              + "; it has "
              + names(contexts)
              + near(name, contexts));
    }
    return context;
  }

  /** Returns the cluster of that name, which a context names. */
  KubeconfigSection cluster(String name, KubeconfigSection context) throws ConfigException {
    return entry(clusters, "cluster", name, context);
  }

  /** Returns the user of that name, which a context names. */
  KubeconfigSection user(String name, KubeconfigSection context) throws ConfigException {
    return entry(users, "user", name, context);
  }

  private static KubeconfigSection entry(
      Map<String, KubeconfigSection> entries, String kind, String name, KubeconfigSection context)
      throws ConfigException {
    KubeconfigSection entry = entries.get(name);
    if (entry == null) {
      throw context.error(
          "names "
              + kind
              + " \""
              + name
              + "\", which is not among the "
              + kind
              + "s ("
              + names(entries)
              + ")"
              + near(name, entries));
    }
    return entry;
  }

  private static String near(String name, Map<String, KubeconfigSection> entries) {
    List<String> near =
        entries.keySet().stream()
            .filter(other -> EditDistance.between(name, other) <= name.length() / 3)
            .sorted(Comparator.comparingInt(other -> EditDistance.between(name, other)))
            .limit(MAX_NEAR)
            .toList();
    return near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
  }

  private static String names(Map<String, KubeconfigSection> entries) {
    if (entries.isEmpty()) {
      return "none";
    }
    int more = entries.size() - MAX_NAMES;
    return entries.keySet().stream().limit(MAX_NAMES).collect(Collectors.joining(", "))
        + (more > 0 ? " and " + more + " more" : "");
  }
}
