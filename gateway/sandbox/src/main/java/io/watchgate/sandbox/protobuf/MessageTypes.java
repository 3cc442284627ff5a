package io.watchgate.sandbox.protobuf;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Registry of the messages in {@code fields.txt}, with their fields by number. Immutable. */
final class MessageTypes {
  private static final String ANY_VERSION = "*";

  private final Map<String, String> kinds = new HashMap<>();
  private final Map<String, Map<Integer, ProtobufField>> messages = new HashMap<>();

  /** Reads the file on the first use of the class. */
  private static final class Known {
    private static final MessageTypes MESSAGES = new MessageTypes();
  }

  static MessageTypes known() {
    return Known.MESSAGES;
  }

  private MessageTypes() {
    for (String block : text().split("\n\n", -1)) {
      String head = block.lines().findFirst().orElse("");
      block
          .lines()
          .skip(1)
          .map(line -> line.strip().split(" ", -1))
          .forEach(line -> add(head, line));
    }
  }

  private static String text() {
    try (InputStream file =
        Objects.requireNonNull(
            MessageTypes.class.getResourceAsStream("fields.txt"), "fields.txt")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(String block, String[] line) {
    if (block.equals("kinds")) {
      kinds.put(line[0] + " " + line[1], line[2]);
    } else {
      messages
          .computeIfAbsent(block, name -> new HashMap<>())
          .put(Integer.parseInt(line[0]), ProtobufField.of(line[1], line[2]));
    }
  }

  /** Returns the message name of a kind. */
  Optional<String> ofKind(String apiVersion, String kind) {
    String found = kinds.get(apiVersion + " " + kind);
    return Optional.ofNullable(found != null ? found : kinds.get(ANY_VERSION + " " + kind));
  }

  /** Returns the fields of a message; empty if the message is unknown. */
  Map<Integer, ProtobufField> fields(String message) {
    return messages.getOrDefault(message, Map.of());
  }
}
