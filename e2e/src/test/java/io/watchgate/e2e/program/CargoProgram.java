package io.watchgate.e2e.program;

import io.watchgate.e2e.Repository;
import java.nio.file.Path;

/** Builder of programs from Cargo packages; an up-to-date program takes no time. */
public final class CargoProgram {
  private CargoProgram() {}

  /**
   * Returns the program, which is cached in {@code .cache}.
   *
   * @param module folder with a Cargo.toml, of the same name as its program
   */
  public static Program build(Path module) throws Exception {
    Path cache = Repository.cache("cargo");
    return Repository.alone(
        cache,
        () -> {
          Program.ofBuild("cargo", "build", "--quiet", "--target-dir", cache.toString())
              .in(module)
              .run();
          return Program.of(cache.resolve("debug").resolve(module.getFileName()).toString());
        });
  }
}
