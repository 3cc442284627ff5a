package io.watchgate.sandbox.schema;

import io.watchgate.sandbox.schema.SchemaField.Presence;
import io.watchgate.sandbox.schema.SchemaField.Strategy;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Parser of a field's line in {@code types.txt}: {@code containers! []core.v1.Container merge
 * key=name unique=name}. The mark {@code !} means that the field is always present. {@code []} and
 * <code>{}</code> mean a list and a map. A type with dots is a definition.
 */
final class FieldLine {
  private static final String LIST = "[]";
  private static final String MAP = "{}";
  private static final String KEY = "key=";
  private static final String UNIQUE = "unique=";

  private FieldLine() {}

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
