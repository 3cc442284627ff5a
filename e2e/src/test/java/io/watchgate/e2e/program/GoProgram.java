package io.watchgate.e2e.program;

import io.watchgate.e2e.Repository;
import java.nio.file.Path;

/** Builder of programs from Go modules; an up-to-date program takes no time. */
public final class GoProgram {
  private GoProgram() {}

  /**
   * Returns the program, which is cached in {@code .cache}.
   *
   * @param module folder with a go.mod
   * @param target package of the module or of its requirements
   */
  public static Program build(Path module, String target) throws Exception {
    String name = target.equals(".") ? module.getFileName().toString() : lastPart(target);
    return build(module, "go.mod", target, name);
  }

  /**
   * Returns the program, built with the versions of another file of the module.
   *
   * @param versions name of the file, which may be go.mod
   * @param name name of the program in the cache
   */
  public static Program build(Path module, String versions, String target, String name)
      throws Exception {
    Path cache = Repository.cache("go");
    Path binary = cache.resolve(name);
    return Repository.alone(
        cache,
        () -> {
          Program.ofBuild("go", "build", "-buildvcs=false", "-modfile=" + versions)
              .and("-o", binary.toString(), target)
              .in(module)
              .run();
          return Program.of(binary.toString());
        });
  }

  private static String lastPart(String target) {
    return target.substring(target.lastIndexOf('/') + 1);
  }
}
