package io.watchgate.kube;

import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * One kubeconfig file. Its entries are indexed by name and not validated yet, since a file may have
 * many entries that are never used.
 *
 * @param file location of the file; paths in it refer to its folder
 * @param currentContext empty if it names none
 */
record KubeconfigFile(
    Path file,
    String currentContext,
    Map<String, KubeconfigSection> contexts,
    Map<String, KubeconfigSection> clusters,
    Map<String, KubeconfigSection> users) {

  /**
   * Reads a file.
   *
   * @throws ConfigException if the file is missing, empty, or no kubeconfig
   */
  static KubeconfigFile read(Path file) throws ConfigException {
    KubeconfigFile read = readUnlessEmpty(file);
    if (read == null) {
      throw new ConfigException(file + ": is empty");
    }
    return read;
  }

  /**
   * Reads a file; null if it is empty, since kubectl ignores an empty file among several.
   *
   * @throws ConfigException if the file is missing or no kubeconfig
   */
  static @Nullable KubeconfigFile readUnlessEmpty(Path file) throws ConfigException {
    Map<?, ?> document = parse(file);
    if (document == null) {
      return null;
    }
    KubeconfigSection top = new KubeconfigSection(file, file.toString(), document);
    String kind = top.text("kind");
    if (!kind.isEmpty() && !kind.equals("Config")) {
      throw top.error("is not a kubeconfig: its kind is not Config");
    }
    return new KubeconfigFile(
        file,
        top.text("current-context"),
        entries(top, "contexts", "context"),
        entries(top, "clusters", "cluster"),
        entries(top, "users", "user"));
  }

  /**
   * Returns the entries by name; the first entry of a name counts. An entry without a name cannot
   * be referenced, as in kubectl.
   */
  private static Map<String, KubeconfigSection> entries(
      KubeconfigSection top, String list, String singular) throws ConfigException {
    Map<String, KubeconfigSection> entries = new LinkedHashMap<>();
    for (KubeconfigSection entry : top.list(list)) {
      String name = entry.text("name");
      if (name.isEmpty()) {
        continue;
      }
      String location = top.location() + ": " + singular + " \"" + name + "\"";
      if (entry.members().get(singular) == null) {
        // "user: {}" is often written as "user:"
        entries.putIfAbsent(name, new KubeconfigSection(top.file(), location, Map.of()));
      } else {
        entries.putIfAbsent(name, entry.section(singular, location));
      }
    }
    return entries;
  }

  private static @Nullable Map<?, ?> parse(Path file) throws ConfigException {
    @Nullable Object document;
    try {
      document = KubeconfigYaml.read(Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      throw new ConfigException(
          file + ": there is no such file; name your kubeconfig with --kubeconfig");
    } catch (AccessDeniedException e) {
      throw new ConfigException(file + ": may not be read by this user");
    } catch (CharacterCodingException e) {
      throw new ConfigException(file + ": is not UTF-8 text");
    } catch (IOException e) {
      throw new ConfigException(file + ": cannot be read: " + FileErrors.reason(e));
    } catch (YamlEngineException e) {
      // The parser's own text quotes the file, secrets included.
      throw new ConfigException(file + ": is not YAML" + location(e));
    }
    if (document != null && !(document instanceof Map<?, ?>)) {
      throw new ConfigException(file + ": is not a kubeconfig: a mapping was expected");
    }
    return (Map<?, ?>) document;
  }

  private static String location(YamlEngineException e) {
    return e instanceof MarkedYamlEngineException marked
        ? marked
            .getProblemMark()
            .map(mark -> ": line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1))
            .orElse("")
        : "";
  }
}
