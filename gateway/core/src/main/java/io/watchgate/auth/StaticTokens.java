package io.watchgate.auth;

import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tokens of a file, for development: lines of token, user, uid and groups (quoted and separated by
 * commas), as in kube-apiserver's {@code --token-auth-file}. Read once. Thread-safe.
 */
final class StaticTokens {
  private static final int MAX_BYTES = 1 << 20;

  /** A field is plain or quoted; a quote in quotes is doubled. */
  private static final Pattern FIELD =
      Pattern.compile("\\G(?:\"((?:[^\"]++|\"\")*+)\"|([^\",]*+))(?:,|$)");

  private final List<Entry> entries;

  private record Entry(String token, UserInfo identity) {}

  private StaticTokens(List<Entry> entries) {
    this.entries = entries;
  }

  /** Returns an empty set of tokens. */
  static StaticTokens empty() {
    return new StaticTokens(List.of());
  }

  /**
   * Reads a file.
   *
   * @throws IOException if the file cannot be read, or a line is malformed; the message names the
   *     line, without its content
   */
  static StaticTokens read(Path file) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new IOException(file + " is larger than 1 MiB, and so no file of tokens");
      }
      List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
      for (int i = 0; i < lines.size(); i++) {
        String line = (i == 0 ? withoutByteOrderMark(lines.get(i)) : lines.get(i)).strip();
        if (!line.isEmpty() && !line.startsWith("#")) {
          entries.add(entry(file + ", line " + (i + 1), fields(line)));
        }
      }
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not text in UTF-8", e);
    } catch (NoSuchFileException e) {
      throw new IOException("there is no file " + file, e);
    } catch (FileSystemException e) {
      throw new IOException(file + " cannot be read: " + FileErrors.reason(e), e);
    }
    if (entries.isEmpty()) {
      throw new IOException(file + " holds no token; its lines are TOKEN,USER,UID,\"GROUP,GROUP\"");
    }
    return new StaticTokens(entries);
  }

  /**
   * Removes the byte order mark that some editors write before a text in UTF-8; it would become a
   * part of the first token.
   */
  private static String withoutByteOrderMark(String line) {
    return line.startsWith("\uFEFF") ? line.substring(1) : line;
  }

  private static Entry entry(String location, List<String> fields) throws IOException {
    if (fields.size() < 3 || fields.get(0).isBlank() || fields.get(1).isBlank()) {
      throw new IOException(location + " is not TOKEN,USER,UID or TOKEN,USER,UID,\"GROUP,GROUP\"");
    }
    List<String> groups =
        fields.size() == 3
            ? List.of()
            : List.of(fields.get(3).split(",")).stream()
                .map(String::strip)
                .filter(group -> !group.isEmpty())
                .toList();
    return new Entry(
        fields.get(0),
        UserInfo.authenticated(fields.get(1).strip(), fields.get(2).strip(), groups));
  }

  /** Returns the fields of a line; none if it is not CSV. */
  private static List<String> fields(String line) {
    List<String> fields = new ArrayList<>();
    Matcher field = FIELD.matcher(line);
    int end = 0;
    while (end < line.length() && field.find(end)) {
      String quoted = field.group(1);
      fields.add(quoted == null ? field.group(2).strip() : quoted.replace("\"\"", "\""));
      if (field.end() == end) {
        return List.of();
      }
      end = field.end();
    }
    if (line.endsWith(",")) {
      fields.add(""); // the field after the last comma
    }
    return end == line.length() ? fields : List.of();
  }

  /**
   * Returns the user of a token. The time that this takes does not reveal how much of a token is
   * right.
   */
  Optional<UserInfo> find(String token) {
    byte[] presented = token.getBytes(StandardCharsets.UTF_8);
    Optional<UserInfo> found = Optional.empty();
    for (Entry entry : entries) {
      if (MessageDigest.isEqual(entry.token.getBytes(StandardCharsets.UTF_8), presented)) {
        found = Optional.of(entry.identity);
      }
    }
    return found;
  }
}
