package io.watchgate.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import io.watchgate.client.Position;
import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * File with a saved position: {@code {"watchgateToken":1,"resourceVersion":"123","token":"…"}}. It
 * is replaced atomically: a reader, also after a crash of the process, finds the old or the new
 * position. It is not synced to disk each time. A crash of the machine may restore an older
 * position, from which events are received again and none is lost. Not thread-safe; the file has
 * one writer.
 */
final class PositionFile {
  private static final int FORMAT = 1;
  private static final int MAX_BYTES = 64 << 10;

  private final Path file;
  private ByteString written = ByteString.EMPTY;

  PositionFile(Path file) {
    this.file = file;
  }

  /**
   * Returns the saved token; empty if there is no file.
   *
   * @throws IOException if the file cannot be read or is no position file; the message says what to
   *     do
   */
  Optional<ByteString> read() throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a directory; name the file that --save-token wrote");
    }
    @Nullable String text;
    try {
      text = Files.size(file) > MAX_BYTES ? null : Files.readString(file);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (MalformedInputException e) {
      throw notAToken("it is not text");
    } catch (IOException e) {
      throw new IOException(file + " cannot be read: " + FileErrors.reason(e), e);
    }
    if (text == null) {
      throw notAToken("it is too long");
    }
    return Optional.of(token(text));
  }

  private ByteString token(String text) throws IOException {
    JsonElement parsed;
    try {
      parsed = JsonParser.parseString(text);
    } catch (JsonParseException e) {
      throw notAToken("it is no JSON");
    }
    if (!(parsed instanceof JsonObject saved)
        || !(saved.get("watchgateToken") instanceof JsonPrimitive format)
        || !(saved.get("token") instanceof JsonPrimitive token)) {
      throw notAToken("watchgateToken or token is missing");
    }
    if (!format.getAsString().equals(Integer.toString(FORMAT))) {
      throw notAToken("its format is " + format.getAsString() + ", known is " + FORMAT);
    }
    try {
      byte[] bytes = Base64.getDecoder().decode(token.getAsString());
      if (bytes.length == 0) {
        throw notAToken("the token is empty");
      }
      return ByteString.copyFrom(bytes);
    } catch (IllegalArgumentException e) {
      throw notAToken("the token is not base64");
    }
  }

  private IOException notAToken(String reason) {
    return new IOException(
        file
            + " holds no token of --save-token: "
            + reason
            + "; remove it to start over, or name another file");
  }

  /** Returns why the file cannot be written, to be checked before the first save. */
  Optional<String> problem() {
    Path directory = new AtomicFile(file).directory();
    if (Files.isDirectory(file)) {
      return Optional.of(file + " is a directory; name a file");
    }
    if (!Files.isDirectory(directory)) {
      return Optional.of("there is no directory " + directory + " for " + file.getFileName());
    }
    return Files.isWritable(directory)
        ? Optional.empty()
        : Optional.of("nothing can be written into " + directory);
  }

  /** Replaces the saved position. */
  void write(Position position) throws IOException {
    if (position.token().equals(written)) {
      return;
    }
    JsonObject saved = new JsonObject();
    saved.addProperty("watchgateToken", FORMAT);
    saved.addProperty("resourceVersion", position.resourceVersion());
    saved.addProperty("token", Base64.getEncoder().encodeToString(position.token().toByteArray()));
    try {
      new AtomicFile(file).replace(saved + "\n");
    } catch (IOException e) {
      throw new IOException("cannot save the token in " + file + ": " + e.getMessage(), e);
    }
    written = position.token();
  }
}
