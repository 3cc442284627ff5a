package io.watchgate.sandbox.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All definitions of {@code types.txt}; each is parsed on its first use. Thread-safe. */
final class SchemaDefinitions {
  private final Map<String, String> kinds = new HashMap<>();
  private final Map<String, String> blocks = new HashMap<>();
  private final Map<String, Schema> schemas = new ConcurrentHashMap<>();

  /** Reads the file on the first use of the class. */
  private static final class BuiltIn {
    private static final SchemaDefinitions DEFINITIONS = read();

    private static SchemaDefinitions read() {
      try (InputStream file =
          Objects.requireNonNull(
              SchemaDefinitions.class.getResourceAsStream("types.txt"), "types.txt")) {
        return new SchemaDefinitions(new String(file.readAllBytes(), StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  static SchemaDefinitions builtIn() {
    return BuiltIn.DEFINITIONS;
  }

  /** Parses blocks that are separated by empty lines; the first line of a block is its name. */
  SchemaDefinitions(String text) {
    for (String block : text.split("\n\n", -1)) {
      String head = block.lines().findFirst().orElse("");
      if (head.startsWith("kinds")) {
        block
            .lines()
            .skip(1)
            .map(String::strip)
            .map(line -> line.split(" ", -1))
            .forEach(parts -> kinds.put(parts[0] + " " + parts[1], parts[2]));
      } else if (!head.startsWith("#")) {
        blocks.put(head, block);
      }
    }
  }

  Optional<Schema> ofKind(String apiVersion, String kind) {
    return Optional.ofNullable(kinds.get(apiVersion + " " + kind)).map(this::schema);
  }

  Schema schema(String name) {
    return schemas.computeIfAbsent(name, this::parse);
  }

  private Schema parse(String name) {
    @Nullable String block = blocks.get(name);
    if (block == null) {
      throw new IllegalStateException("types.txt has no " + name);
    }
    Map<String, SchemaField> fields = new LinkedHashMap<>();
    block.lines().skip(1).map(SchemaField::parse).forEach(field -> fields.put(field.name(), field));
    return new Schema(name, fields);
  }
}
