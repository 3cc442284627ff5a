package io.watchgate.kube;

import io.watchgate.kube.KubeconfigYaml.YesOrNo;
import io.watchgate.pem.PemSource;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Mapping in a configuration file, with its location for errors.
 *
 * @param file the file, to whose folder relative paths in it refer
 * @param location location in the file: {@code /home/ann/.kube/config: user "ann"}
 * @param members the members as the YAML parser returns them
 */
record KubeconfigSection(Path file, String location, Map<?, ?> members) {

  /** Returns only the location, since the values may be secrets. */
  @Override
  public String toString() {
    return location;
  }

  ConfigException error(String problem) {
    return new ConfigException(location + ": " + problem);
  }

  /** Returns whether the key has a value that is not empty. */
  boolean has(String key) {
    Object value = members.get(key);
    return switch (value) {
      case null -> false;
      case String text -> !text.isEmpty();
      case Map<?, ?> map -> !map.isEmpty();
      case List<?> list -> !list.isEmpty();
      case Boolean flag -> flag;
      case YesOrNo flag -> flag.value();
      default -> true;
    };
  }

  /** Returns the text, empty if it is absent. */
  String text(String key) throws ConfigException {
    Object value = members.get(key);
    return switch (value) {
      case null -> "";
      case String text -> text;
      case YesOrNo plain -> plain.text();
      case byte[] binary -> new String(binary, StandardCharsets.UTF_8);
      default ->
          throw error(
              key
                  + " must be text"
                  + (value instanceof Number || value instanceof Boolean
                      ? "; put it in quotes"
                      : ""));
    };
  }

  /** Returns the text, which must be present. */
  String required(String key) throws ConfigException {
    String text = text(key);
    if (text.isEmpty()) {
      throw error("has no " + key);
    }
    return text;
  }

  /** Returns the list of texts, empty if it is absent. */
  List<String> texts(String key) throws ConfigException {
    return switch (members.get(key)) {
      case null -> List.of();
      case List<?> list -> texts(key, list);
      default -> throw error(key + " must be a list");
    };
  }

  private List<String> texts(String key, List<?> list) throws ConfigException {
    List<String> texts = new ArrayList<>();
    for (@Nullable Object element : list) {
      texts.add(
          switch (element) {
            case String text -> text;
            case YesOrNo plain -> plain.text();
            case null, default ->
                throw error(key + "[" + texts.size() + "] must be text; put it in quotes");
          });
    }
    return texts;
  }

  /** Returns the text as a path, relative to the folder of the file. */
  Path path(String text) {
    return file.toAbsolutePath().resolveSibling(text).normalize();
  }

  /**
   * Returns the source of a PEM text, null if it is absent; inline data takes precedence over a
   * file, as in kubectl.
   */
  @Nullable PemSource pem(String key) throws ConfigException {
    String data = text(key + "-data");
    if (!data.isEmpty()) {
      try {
        byte[] pem = Base64.getDecoder().decode(data.replaceAll("\\s", ""));
        return new PemSource.Inline(new String(pem, StandardCharsets.ISO_8859_1));
      } catch (IllegalArgumentException e) {
        throw error(key + "-data is not base64");
      }
    }
    String named = text(key);
    return named.isEmpty() ? null : new PemSource.InFile(path(named));
  }

  /** Returns the boolean, false if it is absent. */
  boolean flag(String key) throws ConfigException {
    return switch (members.get(key)) {
      case null -> false;
      case Boolean flag -> flag;
      case YesOrNo flag -> flag.value();
      default -> throw error(key + " must be true or false");
    };
  }

  /** Returns the mapping, which must be present. */
  KubeconfigSection section(String key, String at) throws ConfigException {
    return switch (members.get(key)) {
      case Map<?, ?> map -> new KubeconfigSection(file, at, map);
      case null -> throw new ConfigException(at + ": has no " + key);
      default -> throw new ConfigException(at + ": " + key + " must be a mapping");
    };
  }

  /** Returns the list of mappings, empty if it is absent. Null elements are left out. */
  List<KubeconfigSection> list(String key) throws ConfigException {
    Object value = members.get(key);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof List<?> list)) {
      throw error(key + " must be a list");
    }
    List<KubeconfigSection> sections = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      String at = location + ": " + key + "[" + i + "]";
      switch (list.get(i)) {
        case null -> {}
        case Map<?, ?> map -> sections.add(new KubeconfigSection(file, at, map));
        default -> throw new ConfigException(at + " must be a mapping");
      }
    }
    return sections;
  }
}
