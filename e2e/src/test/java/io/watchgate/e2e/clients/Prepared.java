package io.watchgate.e2e.clients;

import io.watchgate.e2e.Repository;
import java.nio.file.Files;
import java.nio.file.Path;

/** Folders with installed packages, below {@code .cache}, made once for each key. */
final class Prepared {
  private Prepared() {}

  /** Fills an empty folder. */
  interface Work {
    void fill(Path folder) throws Exception;
  }

  static Path folder(String name, String key, Work work) throws Exception {
    Path cache = Repository.cache(name);
    Path folder = cache.resolve(key);
    return Repository.alone(
        cache,
        () -> {
          // What is installed cannot always be moved, so that it is complete once it says so.
          Path complete = folder.resolve("complete");
          if (!Files.exists(complete)) {
            System.err.println("Installing packages into " + folder);
            Files.createDirectories(folder);
            work.fill(folder);
            Files.createFile(complete);
          }
          return folder;
        });
  }
}
