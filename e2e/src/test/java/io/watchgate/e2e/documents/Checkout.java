package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.launcher.GatewayBuild;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * Copy of the working tree in the state of a clone in which the gateway is already built. Its test
 * apiserver is that of the tests, and its addresses are those of {@link Addresses}.
 */
record Checkout(Path root, Addresses addresses) {
  /** Folder whose sources identify the matching build of the apiserver. */
  private static final Path APISERVER = Path.of("e2e/apiserver");

  static Checkout in(Path root) throws Exception {
    Checkout made = new Checkout(root, Addresses.pick());
    Files.walkFileTree(Repository.root(), made.new Copy());
    Path launcher = root.resolve("watchgate");
    Files.move(launcher, root.resolve("watchgate.real"));
    made.script(launcher, made.addresses.launcher());

    Path cache = Files.createDirectories(root.resolve(".cache/watchgate"));
    // The launcher takes the time of the link, which is newer than that of the sources.
    Files.createSymbolicLink(cache.resolve("build"), GatewayBuild.shared());
    Files.writeString(cache.resolve("current"), "build\n");
    for (String shared : List.of("apiserver", "python-build")) {
      Files.createSymbolicLink(root.resolve(".cache").resolve(shared), Repository.cache(shared));
    }
    return made;
  }

  private void script(Path file, String text) throws IOException {
    Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private final class Copy extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
        throws IOException {
      if (Repository.GENERATED.contains(folder.getFileName().toString())) {
        return FileVisitResult.SKIP_SUBTREE;
      }
      Files.createDirectories(target(folder));
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Path target = target(file);
      Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
      Path relative = Repository.root().relativize(file);
      // Clients and scripts have addresses as defaults; Java sources are not run.
      boolean isExample =
          relative.startsWith("client-sdk") && relative.toString().contains("/examples/");
      if ((relative.startsWith("e2e") || relative.startsWith("examples") || isExample)
          && !relative.startsWith(APISERVER)
          && !file.toString().endsWith(".java")) {
        String text = Files.readString(file);
        if (!addresses.in(text).equals(text)) {
          Files.writeString(target, addresses.in(text));
        }
      }
      return FileVisitResult.CONTINUE;
    }

    private Path target(Path file) {
      return root.resolve(Repository.root().relativize(file).toString());
    }
  }
}
