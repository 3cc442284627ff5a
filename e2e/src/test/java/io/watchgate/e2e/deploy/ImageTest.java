package io.watchgate.e2e.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import io.watchgate.client.WatchClient;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.launcher.GatewayBuild;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Test of the image that {@code gateway/deploy/image} makes: its bytes, its content, a gateway. */
@Order(Order.DEFAULT + 1) // after runs with time limits: it keeps all CPUs busy
@WithApiserver
@Requires(RequiredTool.IMAGE_TOOLS)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ImageTest {
  private static final Path ROOT = Repository.root();
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String VERSION = value("version");

  private Path folder;
  private Path app;
  private Path archive;
  private UnpackedImage image;

  private static String value(String element) {
    try {
      Matcher matcher =
          Pattern.compile("<" + element + ">(.*?)</")
              .matcher(Files.readString(ROOT.resolve("pom.xml")));
      assertThat(matcher.find()).isTrue();
      return matcher.group(1);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeAll
  void makeImage(@TempDir Path empty) throws Exception {
    folder = empty;
    app = GatewayBuild.shared();
    archive = folder.resolve("one.oci.tar");
    make("umask 022", archive);
    image = UnpackedImage.of(archive, VERSION, folder);
  }

  /** The folder's own deletion warns of a link of the image, which leads to a file elsewhere. */
  @AfterAll
  void deleteImage() throws Exception {
    Program.of("rm", "-rf", folder.resolve("bundle").toString()).run();
  }

  private void make(String preparation, Path into) throws Exception {
    Program.of("sh", "-c", preparation + "; exec \"$@\"", "sh")
        .and(ROOT.resolve("gateway/deploy/image").toString(), into.toString(), app.toString())
        .with(Map.of("JAVA_HOME", System.getProperty("java.home")))
        .run();
  }

  @Test
  @Tag("thorough") // makes a second runtime
  void secondImage_elsewhere_hasEqualBytes() throws Exception {
    Path other = Files.createDirectories(folder.resolve("else/where")).resolve("two.tar");
    make("umask 077; export LANG=tr_TR.UTF-8 TZ=Pacific/Auckland; cd /", other);
    assertThat(Files.mismatch(archive, other)).isEqualTo(-1);
  }

  @Test
  void skopeo_showsLabels() throws Exception {
    JsonObject inspected = UnpackedImage.inspected(archive);
    JsonObject labels = inspected.getAsJsonObject("Labels");
    String prefix = "org.opencontainers.image.";
    assertThat(labels.get(prefix + "title").getAsString()).isEqualTo("watchgate");
    assertThat(labels.get(prefix + "version").getAsString()).isEqualTo(VERSION);
    assertThat(labels.get(prefix + "description").getAsString()).isEqualTo(value("description"));
    assertThat(labels.get(prefix + "licenses").getAsString()).isEqualTo("Apache-2.0");
    assertThat(labels.get(prefix + "created").getAsString())
        .isEqualTo(value("project.build.outputTimestamp"));
    assertThat(inspected.getAsJsonArray("Layers")).hasSize(4);
    assertThat(inspected.get("Os").getAsString()).isEqualTo("linux");
  }

  /** Neither a shell nor anything that gives rights, and the versions of the packages. */
  @Test
  void content_isJavaAndTheGateway() throws Exception {
    List<Path> files = image.all();
    assertThat(files.stream().map(file -> file.getFileName().toString()))
        .doesNotContain("sh", "bash", "dash", "busybox", "ldconfig", "javac");
    assertThat(files.stream().filter(this::isProgram).map(Path::toString))
        .allMatch(
            file -> file.startsWith("opt/watchgate/java/") || file.matches(".*\\.so(\\..*)?"));
    for (Path file : files) {
      Set<PosixFilePermission> permissions =
          Files.getPosixFilePermissions(image.files().resolve(file), LinkOption.NOFOLLOW_LINKS);
      if (!Files.isSymbolicLink(image.files().resolve(file))) {
        assertThat(PosixFilePermissions.toString(permissions))
            .as("%s", file)
            .matches(".{3}(r--r--|r-xr-x)");
      }
    }
    Path packages = image.files().resolve("var/lib/dpkg/status.d");
    try (Stream<Path> named = Files.list(packages)) {
      assertThat(named.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("libc6", "libgcc-s1", "zlib1g", "libc-bin");
    }
    assertThat(packages.resolve("libc6")).content().containsPattern("(?m)^Version: \\S+$");
  }

  private boolean isProgram(Path file) {
    return Files.isExecutable(image.files().resolve(file))
        && !Files.isSymbolicLink(image.files().resolve(file));
  }

  @Test
  void entryPoint_isJava_asAUserWithoutRights() throws Exception {
    JsonObject user = image.process().getAsJsonObject("user");
    assertThat(user.get("uid").getAsInt()).isEqualTo(65532);
    assertThat(user.get("gid").getAsInt()).isEqualTo(65532);
    assertThat(image.process().getAsJsonArray("args").get(0).getAsString())
        .isEqualTo("/opt/watchgate/java/bin/java");
    assertThat(image.program("--version").run()).startsWith("watchgate ");
  }

  @Test
  void gateway_servesWithTls_andEndsOnSignal(Apiserver apiserver) throws Exception {
    HeldCertificate identity =
        new HeldCertificate.Builder().addSubjectAlternativeName("127.0.0.1").build();
    Path mounted = Files.createDirectories(image.files().resolve("mounted"));
    Files.writeString(mounted.resolve("tls.key"), identity.privateKeyPkcs8Pem());
    Path authority = mounted.resolve("tls.crt");
    Files.writeString(authority, identity.certificatePem());
    Files.writeString(mounted.resolve("kubeconfig"), kubeconfig(apiserver));
    try (RunningProgram gateway =
            image
                .program("serve", "--kubeconfig", "/mounted/kubeconfig", "--type", "configmaps")
                .and("--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0")
                .and("--tls-cert", "/mounted/tls.crt", "--tls-key", "/mounted/tls.key")
                .start();
        WatchClient client = WatchClient.to("127.0.0.1", port(gateway)).tls(authority).build()) {
      long objects =
          client
              .listObjects(
                  ListObjectsRequest.newBuilder()
                      .setSelection(
                          Selection.newBuilder()
                              .setResourceType(ResourceType.newBuilder().setResource("configmaps")))
                      .build(),
                  LIMIT)
              .getTotalObjects();
      assertThat(objects).isPositive();
      assertThat(gateway.stop()).isZero();
      // Its library needs libgcc, which Java does not.
      assertThat(gateway.err()).noneMatch(line -> line.contains("TLS is served by the JDK"));
      assertThat(gateway.out()).noneMatch(line -> line.contains("TLS is served by the JDK"));
    }
  }

  private static String kubeconfig(Apiserver apiserver) throws IOException {
    return """
    {"apiVersion": "v1", "kind": "Config", "current-context": "admin",
     "clusters": [{"name": "test",
                   "cluster": {"server": "%s", "certificate-authority-data": "%s"}}],
     "users": [{"name": "admin", "user": {"token": "%s"}}],
     "contexts": [{"name": "admin", "context": {"cluster": "test", "user": "admin"}}]}
    """
        .formatted(
            apiserver.server(),
            Base64.getEncoder()
                .encodeToString(Files.readAllBytes(apiserver.file(Credential.AUTHORITY))),
            apiserver.token());
  }

  /** Returns the port in the line that says that gRPC is served. */
  private static int port(RunningProgram gateway) {
    Pattern line = Pattern.compile("serving gRPC on .*?127\\.0\\.0\\.1:(\\d+)");
    return await()
        .atMost(LIMIT)
        .until(
            () -> {
              assertThat(gateway.isAlive()).as("%s", gateway.err()).isTrue();
              return Stream.concat(gateway.out().stream(), gateway.err().stream())
                  .map(line::matcher)
                  .filter(Matcher::find)
                  .map(found -> Integer.parseInt(found.group(1)))
                  .findFirst();
            },
            Optional::isPresent)
        .orElseThrow();
  }
}
