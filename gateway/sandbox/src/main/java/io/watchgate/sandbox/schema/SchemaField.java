package io.watchgate.sandbox.schema;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A field of a built-in type.
 *
 * @param presence whether an apiserver writes the field even if it is empty
 * @param strategies merging by a strategic merge patch; without strategies, lists are replaced and
 *     objects are merged
 * @param mergeKey key of the elements in a merged list of objects
 * @param listKeys members that identify the elements of a list, if its elements are unique
 */
public record SchemaField(
    String name,
    SchemaType type,
    Presence presence,
    Set<Strategy> strategies,
    Optional<String> mergeKey,
    List<String> listKeys) {
  private static final String LIST = "[]";
  private static final String MAP = "{}";
  private static final String KEY = "key=";
  private static final String UNIQUE = "unique=";

  /** Presence of a field in written objects. */
  public enum Presence {
    OPTIONAL,
    REQUIRED
  }

  /** Values of {@code x-kubernetes-patch-strategy}. */
  public enum Strategy {
    MERGE,
    REPLACE,
    RETAIN_KEYS
  }

  public SchemaField {
    strategies = Set.copyOf(strategies);
    listKeys = List.copyOf(listKeys);
  }

  /**
   * Parses a line of {@code types.txt}: {@code containers! []core.v1.Container merge key=name
   * unique=name}. The mark {@code !} means that the field is always present. {@code []} and <code>
   * {}</code> mean a list and a map. A type with dots is a definition.
   */
  static SchemaField parse(String line) {
    String[] parts = line.strip().split(" ", -1);
    boolean required = parts[0].endsWith("!");
    String name = required ? parts[0].substring(0, parts[0].length() - 1) : parts[0];
    Set<Strategy> strategies = EnumSet.noneOf(Strategy.class);
    Optional<String> key = Optional.empty();
    List<String> unique = List.of();
    for (int i = 2; i < parts.length; i++) {
      if (parts[i].startsWith(KEY)) {
        key = Optional.of(parts[i].substring(KEY.length()));
      } else if (parts[i].startsWith(UNIQUE)) {
        unique = List.of(parts[i].substring(UNIQUE.length()).split(",", -1));
      } else {
        strategies.add(Strategy.valueOf(constant(parts[i])));
      }
    }
    return new SchemaField(
        name,
        type(parts[1]),
        required ? Presence.REQUIRED : Presence.OPTIONAL,
        strategies,
        key,
        unique);
  }

  private static SchemaType type(String text) {
    if (text.startsWith(LIST)) {
      return new SchemaType.ListOf(type(text.substring(LIST.length())));
    }
    if (text.startsWith(MAP)) {
      return new SchemaType.MapOf(type(text.substring(MAP.length())));
    }
    return text.contains(".")
        ? new SchemaType.Struct(text)
        : SchemaType.Scalar.valueOf(constant(text));
  }

  private static String constant(String text) {
    return text.toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
