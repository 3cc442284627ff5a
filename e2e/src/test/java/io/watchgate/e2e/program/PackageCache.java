package io.watchgate.e2e.program;

import io.watchgate.e2e.Repository;
import java.nio.file.Files;
import java.nio.file.Path;

/** Cached folders with installed packages, below {@code .cache}, created once for each key. */
public final class PackageCache {
  private PackageCache() {}

  /** Function that fills an empty folder. */
  public interface Work {
    void fill(Path folder) throws Exception;
  }

  /** Returns the complete folder. The lock of the file is that of a process, not of a thread. */
  public static synchronized Path folder(String name, String key, Work work) throws Exception {
    Path cache = Repository.cache(name);
    Path folder = cache.resolve(key);
    return Repository.alone(
        cache,
        () -> {
          // Installed packages cannot always be moved, so a marker file shows that the folder is
          // complete.
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
