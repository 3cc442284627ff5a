package io.watchgate.e2e.clients;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.program.Digest;
import io.watchgate.e2e.program.PackageCache;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * {@code e2e/node} with the packages of its lock file, in a copy of its folder: Node resolves
 * packages, and this client watch.proto, relative to the program.
 */
final class NodeClient {
  private static final Path ROOT = Repository.root();
  private static final String FOLDER = "e2e/node";

  private NodeClient() {}

  /** Returns a program of the folder, {@code watch.mjs}. */
  static synchronized Program prepare(String program) throws Exception {
    String lock = Files.readString(ROOT.resolve(FOLDER).resolve("package-lock.json"));
    String key = Digest.of(lock + Program.of("node", "--version").run());
    Path copy = PackageCache.folder("node", key, NodeClient::install);
    copy(copy, program);
    return Program.of("node", copy.resolve(FOLDER).resolve(program).toString());
  }

  private static void install(Path copy) throws Exception {
    Files.createDirectories(copy.resolve(FOLDER));
    for (String file : new String[] {"package.json", "package-lock.json", ".npmrc"}) {
      copy(copy, file);
    }
    Files.deleteIfExists(copy.resolve("proto"));
    Files.createSymbolicLink(copy.resolve("proto"), ROOT.resolve("proto"));
    Program.of("npm", "ci").in(copy.resolve(FOLDER)).run();
  }

  private static void copy(Path copy, String file) throws IOException {
    Files.copy(
        ROOT.resolve(FOLDER).resolve(file),
        copy.resolve(FOLDER).resolve(file),
        StandardCopyOption.REPLACE_EXISTING);
  }
}
