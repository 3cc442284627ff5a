package io.watchgate.e2e.promises;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Deliberate defect of the gateway or the SDK: a file in {@code e2e/mutations/} with a description,
 * the check that must detect it, and a unified diff of one source.
 *
 * @param source path from the root of the repository
 */
record Mutation(String name, Detection noticed, String source, List<Hunk> hunks) {
  private static final Pattern SOURCE = Pattern.compile("^\\+\\+\\+ b/(\\S+)$", Pattern.MULTILINE);
  private static final Pattern HUNK =
      Pattern.compile("^@@ .*\\R((?:[ +-].*\\R?)+)", Pattern.MULTILINE);

  /** Replacement of lines. */
  record Hunk(String before, String after) {}

  /** Returns all mutations, ordered by name. */
  static List<Mutation> all() {
    try (Stream<Path> files = Files.list(Repository.root().resolve("e2e/mutations"))) {
      return files
          .filter(file -> file.toString().endsWith(".patch"))
          .sorted()
          .map(Mutation::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Mutation read(Path file) {
    try {
      String text = Files.readString(file);
      List<Hunk> hunks = new ArrayList<>();
      Matcher found = HUNK.matcher(text);
      while (found.find()) {
        hunks.add(new Hunk(side(found.group(1), '-'), side(found.group(1), '+')));
      }
      return new Mutation(
          file.getFileName().toString().replace(".patch", ""),
          Detection.read(text),
          source(text, file),
          hunks);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String source(String text, Path file) {
    Matcher found = SOURCE.matcher(text);
    if (!found.find()) {
      throw new IllegalArgumentException(file + " has no line like " + SOURCE);
    }
    return found.group(1);
  }

  private static String side(String hunk, char own) {
    StringBuilder lines = new StringBuilder();
    hunk.lines()
        .filter(line -> line.charAt(0) == ' ' || line.charAt(0) == own)
        .forEach(line -> lines.append(line.substring(1)).append('\n'));
    return lines.toString();
  }

  /**
   * Compiles the changed source into a separate folder; the repository is not modified.
   *
   * @return the folder of its classes
   * @throws IllegalStateException if the patch no longer fits, or the changed source does not
   *     compile
   */
  Path compile() throws IOException {
    String text = Files.readString(Repository.root().resolve(source));
    for (Hunk hunk : hunks) {
      int at = text.indexOf(hunk.before);
      if (at < 0 || text.indexOf(hunk.before, at + 1) >= 0) {
        throw new IllegalStateException(name + " no longer fits " + source + "; adapt the patch");
      }
      text = text.replace(hunk.before, hunk.after);
    }
    Path folder = Repository.target("mutations").resolve(name);
    Path changed = folder.resolve(Path.of(source).getFileName().toString());
    Path classes = Files.createDirectories(folder.resolve("classes"));
    Files.writeString(changed, text);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  said,
                  files,
                  null,
                  List.of(
                      "-d",
                      classes.toString(),
                      "-cp",
                      System.getProperty("java.class.path"),
                      "-proc:none",
                      "-nowarn"),
                  null,
                  files.getJavaFileObjects(changed))
              .call();
      if (!compiled) {
        throw new IllegalStateException(name + " does not compile; adapt the patch: " + said);
      }
    }
    return classes;
  }

  @Override
  public String toString() {
    return name;
  }
}
