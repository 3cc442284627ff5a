package io.watchgate;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.watchgate.error.ApiError;
import io.watchgate.error.QuotaViolation;
import io.watchgate.proto.v1.ErrorReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Dependency rules between the packages: from the external interfaces inwards to the cache. {@code
 * encode} and {@code fanout} create messages of the contract, but do not depend on the transport
 * that sends them.
 */
final class ArchitectureTest {
  private static final JavaClasses GATEWAY = gateway();

  /** Classes of all modules beside this one; tests run in the folder of their module. */
  private static JavaClasses gateway() {
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      return new ClassFileImporter()
          .importPaths(
              modules
                  .map(module -> module.resolve("target/classes"))
                  .filter(Files::isDirectory)
                  .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void dependenciesPointInwards() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("error")
        .definedBy("io.watchgate.error..")
        .layer("json")
        .definedBy("io.watchgate.json..")
        .layer("cache")
        .definedBy("io.watchgate.cache..")
        .layer("select")
        .definedBy("io.watchgate.select..")
        .layer("encode")
        .definedBy("io.watchgate.encode..")
        .layer("fanout")
        .definedBy("io.watchgate.fanout..")
        .layer("auth")
        .definedBy("io.watchgate.auth..")
        .layer("audit")
        .definedBy("io.watchgate.audit..")
        .layer("admission")
        .definedBy("io.watchgate.admission..")
        .layer("grpc")
        .definedBy("io.watchgate.grpc..")
        .layer("balance")
        .definedBy("io.watchgate.balance..")
        .layer("kube")
        .definedBy("io.watchgate.kube..")
        .layer("ops")
        .definedBy("io.watchgate.ops..")
        .layer("server")
        .definedBy("io.watchgate.server..")
        .layer("relay")
        .definedBy("io.watchgate.relay..")
        .layer("jsonpath")
        .definedBy("io.watchgate.jsonpath..")
        .layer("table")
        .definedBy("io.watchgate.table..")
        .layer("http")
        .definedBy("io.watchgate.http..")
        .layer("browser")
        .definedBy("io.watchgate.browser..")
        .layer("sandbox")
        .definedBy("io.watchgate.sandbox..")
        .layer("bench")
        .definedBy("io.watchgate.bench..")
        .layer("check")
        .definedBy("io.watchgate.check..")
        .layer("conformance")
        .definedBy("io.watchgate.conformance..")
        .layer("cli")
        .definedBy("io.watchgate.cli..")
        .whereLayer("error")
        .mayNotAccessAnyLayer()
        .whereLayer("json")
        .mayNotAccessAnyLayer()
        .whereLayer("cache")
        .mayOnlyAccessLayers("json")
        .whereLayer("select")
        .mayOnlyAccessLayers("cache", "json")
        .whereLayer("encode")
        .mayOnlyAccessLayers("error", "select", "cache", "json")
        .whereLayer("fanout")
        .mayOnlyAccessLayers("encode", "error", "select", "cache", "json")
        .whereLayer("auth")
        .mayOnlyAccessLayers("error", "select", "cache", "json")
        .whereLayer("audit")
        .mayOnlyAccessLayers("auth", "error", "select")
        .whereLayer("admission")
        .mayOnlyAccessLayers("error", "cache")
        .whereLayer("grpc")
        .mayOnlyAccessLayers(
            "audit", "admission", "auth", "fanout", "encode", "error", "select", "cache", "json")
        .whereLayer("balance")
        .mayOnlyAccessLayers("cache")
        .whereLayer("kube")
        .mayOnlyAccessLayers("relay", "auth", "balance", "select", "cache", "json")
        .whereLayer("ops")
        .mayOnlyAccessLayers("http", "auth", "fanout", "encode", "select", "cache", "json")
        .whereLayer("browser")
        .mayOnlyAccessLayers("grpc", "admission", "http", "error")
        .whereLayer("server")
        .mayOnlyAccessLayers(
            "browser",
            "grpc",
            "audit",
            "admission",
            "http",
            "ops",
            "kube",
            "auth",
            "balance",
            "fanout",
            "encode",
            "error",
            "select",
            "cache",
            "json")
        .whereLayer("relay")
        .mayNotAccessAnyLayer()
        .whereLayer("jsonpath")
        .mayNotAccessAnyLayer()
        .whereLayer("table")
        .mayOnlyAccessLayers("jsonpath", "cache")
        .whereLayer("http")
        .mayOnlyAccessLayers(
            "relay", "table", "auth", "fanout", "encode", "error", "select", "cache", "json")
        .whereLayer("sandbox")
        .mayOnlyAccessLayers("http", "select", "cache", "json")
        .whereLayer("bench")
        .mayOnlyAccessLayers("kube", "ops", "cache")
        .whereLayer("check")
        .mayOnlyAccessLayers("sandbox", "kube", "cache")
        .whereLayer("conformance")
        .mayNotAccessAnyLayer()
        .whereLayer("cli")
        .mayNotBeAccessedByAnyLayer()
        .check(GATEWAY);
  }

  @Test
  void packages_haveNoCycles() {
    slices().matching("io.watchgate.(*)..").should().beFreeOfCycles().check(GATEWAY);
  }

  @Test
  void corePackages_doNotUseTransportOrMetrics() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.watchgate.error..",
            "io.watchgate.json..",
            "io.watchgate.cache..",
            "io.watchgate.select..",
            "io.watchgate.encode..",
            "io.watchgate.fanout..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.grpc..",
            "com.google.rpc..",
            "okhttp3..",
            "okio..",
            "io.prometheus..",
            "picocli..",
            "java.net..",
            "io.watchgate.client..")
        .orShould()
        .dependOnClassesThat()
        .haveSimpleNameEndingWith("Grpc")
        .check(GATEWAY);
  }

  @Test
  void innerPackages_doNotUseContract() {
    noClasses()
        .that()
        .resideInAnyPackage("io.watchgate.json..", "io.watchgate.cache..", "io.watchgate.select..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.google.protobuf..", "io.watchgate.proto..")
        .check(GATEWAY);
  }

  @Test
  void onlyErrorPackage_createsErrors() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.watchgate.error")
        .should()
        .callConstructor(
            ApiError.class,
            ErrorReason.class,
            String.class,
            String.class,
            int.class,
            Duration.class,
            QuotaViolation.class)
        .check(GATEWAY);
  }

  @Test
  void check_dependsOnNoOtherPackage() {
    noClasses()
        .that()
        .resideInAPackage("io.watchgate.check")
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.watchgate..").and(not(resideInAPackage("io.watchgate.check"))))
        .check(GATEWAY);
  }

  @Test
  void onlyKube_usesHttpClient() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.watchgate.kube..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("okhttp3..", "okio..")
        .check(GATEWAY);
  }

  @Test
  void everyPackage_isNullMarked() {
    assertThat(GATEWAY.stream().map(JavaClass::getPackage).distinct())
        .hasSizeGreaterThan(20)
        .allSatisfy(ArchitectureTest::assertNullMarked);
  }

  private static void assertNullMarked(JavaPackage found) {
    assertThat(found.isAnnotatedWith(NullMarked.class)).as(found.getName()).isTrue();
  }
}
