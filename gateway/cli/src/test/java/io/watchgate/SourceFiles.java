package io.watchgate;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Files of the repository, without generated folders: other modules are built while tests read the
 * files.
 */
public final class SourceFiles {
  /** Root of the repository; tests run in the folder of their module. */
  public static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  private static final Pattern GENERATED =
      Pattern.compile("\\.(?!mvn|ci).*|target|node_modules|venv|__pycache__|watchgatev1");

  private SourceFiles() {}

  /** Returns the files below a folder, sorted. */
  public static List<Path> below(String folder) throws IOException {
    Path start = ROOT.resolve(folder);
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        start,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes attributes) {
            return at.equals(start) || !GENERATED.matcher(at.getFileName().toString()).matches()
                ? FileVisitResult.CONTINUE
                : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            files.add(file);
            return FileVisitResult.CONTINUE;
          }
        });
    return files.stream().sorted().toList();
  }
}
