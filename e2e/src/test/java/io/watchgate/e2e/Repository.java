package io.watchgate.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Paths of the repository. */
public final class Repository {
  /** Names of folders that are generated, and change while tests run. */
  public static final Set<String> GENERATED =
      Set.of(".git", ".cache", ".idea", "target", "venv", "node_modules", "__pycache__");

  private static final Map<Path, Lock> LOCKS = new ConcurrentHashMap<>();

  private Repository() {}

  /** Returns the folder that contains {@code .mvn}; tests may be started in any folder below it. */
  public static Path root() {
    Path start = Path.of("").toAbsolutePath();
    for (Path at = start; at != null; at = at.getParent()) {
      if (Files.isDirectory(at.resolve(".mvn"))) {
        return at;
      }
    }
    throw new IllegalStateException(start + " is not inside the repository: no parent has .mvn");
  }

  /** Returns the files below a folder of the repository, without those that are generated. */
  public static List<Path> sources(String folder) {
    List<Path> sources = new ArrayList<>();
    try {
      Files.walkFileTree(
          root().resolve(folder),
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes attributes) {
              return GENERATED.contains(at.getFileName().toString())
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              sources.add(file);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sources;
  }

  /** Returns the text of the first element of a name in the pom of the project. */
  public static String ofPom(String element) throws IOException {
    String pom = Files.readString(root().resolve("pom.xml"));
    int start = pom.indexOf("<" + element + ">") + element.length() + 2;
    return pom.substring(start, pom.indexOf("</", start));
  }

  /** Returns a folder for results of a test run; created if missing. */
  public static Path target(String name) {
    return folder(root().resolve("e2e/target").resolve(name));
  }

  /**
   * Returns a folder for expensive artifacts, which survives {@code mvn clean}; created if missing.
   */
  public static Path cache(String name) {
    return folder(root().resolve(".cache").resolve(name));
  }

  /**
   * Runs {@code work} while nothing else, in this process or another, runs work of this method on
   * {@code folder}.
   */
  public static <T> T alone(Path folder, Callable<T> work) throws Exception {
    Path file = folder.resolve("lock");
    Lock inProcess = LOCKS.computeIfAbsent(file, any -> new ReentrantLock());
    inProcess.lock(); // a lock of a file is the whole process's
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      if (!held.isValid()) {
        throw new IOException(file + " could not be locked");
      }
      return work.call();
    } finally {
      inProcess.unlock();
    }
  }

  private static Path folder(Path path) {
    try {
      return Files.createDirectories(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
