package io.watchgate.cli;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.TypeConversionException;

/**
 * File of contexts, each a name for a gateway and the files of the credentials for it: {@code
 * {"current":"prod","contexts":{"prod":{"server":["gate:7443"],"tls-ca":"/ca.crt"}}}}. It holds
 * paths and no secret. Not thread-safe.
 */
final class ContextFile {
  /** Content of the file. */
  record Contexts(Optional<String> current, NavigableMap<String, ConnectionSettings> byName) {
    Contexts {
      byName = new TreeMap<>(byName);
    }
  }

  private final AtomicFile file;

  ContextFile(Path path) {
    this.file = new AtomicFile(path);
  }

  /**
   * Returns the file of this user: {@code WATCHGATE_CONFIG}, else {@code watchgate/contexts.json}
   * in {@code XDG_CONFIG_HOME}, else in {@code ~/.config}.
   */
  static ContextFile of(Map<String, String> environment) {
    String named = environment.getOrDefault("WATCHGATE_CONFIG", "");
    if (!named.isEmpty()) {
      return new ContextFile(Path.of(named));
    }
    String folder = environment.getOrDefault("XDG_CONFIG_HOME", "");
    Path config =
        folder.isEmpty()
            ? Path.of(environment.getOrDefault("HOME", "."), ".config")
            : Path.of(folder);
    return new ContextFile(config.resolve("watchgate/contexts.json"));
  }

  Path path() {
    return file.path();
  }

  /**
   * Returns the content; nothing if there is no file.
   *
   * @throws IOException if the file cannot be read; the message names it
   * @throws TypeConversionException if its content is wrong; the message names the place
   */
  Contexts read() throws IOException {
    String text;
    try {
      text = Files.readString(path());
    } catch (NoSuchFileException e) {
      return new Contexts(Optional.empty(), new TreeMap<>());
    } catch (IOException e) {
      throw new IOException(path() + ": " + FileErrors.reason(e), e);
    }
    NavigableMap<String, ConnectionSettings> byName = new TreeMap<>();
    JsonObject json = json(text);
    if (json.get("contexts") instanceof JsonObject contexts) {
      contexts
          .entrySet()
          .forEach(
              context -> {
                String location = path() + ": context '" + context.getKey() + "'";
                byName.put(
                    context.getKey(),
                    ConnectionSettings.of(object(context.getValue(), location), location));
              });
    }
    Optional<String> current =
        json.get("current") instanceof JsonPrimitive name
            ? Optional.of(name.getAsString())
            : Optional.empty();
    return new Contexts(current, byName);
  }

  private JsonObject json(String text) {
    try {
      return object(JsonParser.parseString(text), path().toString());
    } catch (JsonParseException e) {
      throw new TypeConversionException(
          path() + " is no JSON: " + String.valueOf(e.getMessage()).replaceFirst("^.*?: ", ""));
    }
  }

  private static JsonObject object(JsonElement element, String location) {
    if (element instanceof JsonObject object) {
      return object;
    }
    throw new TypeConversionException(location + " is no JSON object");
  }

  /**
   * Replaces the content. The file is for this user only.
   *
   * @throws IOException if it cannot be written; the message names it
   */
  void write(Contexts contexts) throws IOException {
    JsonObject json = new JsonObject();
    contexts.current.ifPresent(name -> json.addProperty("current", name));
    JsonObject byName = new JsonObject();
    contexts.byName.forEach((name, connection) -> byName.add(name, connection.json()));
    json.add("contexts", byName);
    try {
      Files.createDirectories(file.directory());
      file.replace(new GsonBuilder().setPrettyPrinting().create().toJson(json) + "\n");
      if (path().getFileSystem().supportedFileAttributeViews().contains("posix")) {
        Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw-------"));
      }
    } catch (IOException e) {
      throw new IOException(path() + " cannot be written: " + FileErrors.reason(e), e);
    }
  }
}
