package io.watchgate.client;

import com.google.protobuf.ByteString;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Main program that runs all tests of this module; {@code RuntimesTest} of e2e runs it on other
 * releases of Java and of protobuf. Its argument is the folder of the tests. It prints properties:
 * the runtime versions and the results; stderr has the failures.
 */
final class WholeSuite {
  private WholeSuite() {}

  public static void main(String[] arguments) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClasspathRoots(Set.of(Path.of(arguments[0]))))
            .filters(
                ClassNameFilter.includeClassNamePatterns(".*Test"),
                TagFilter.excludeTags("thorough", "benchmark"))
            .build();
    SummaryGeneratingListener summing = new SummaryGeneratingListener();
    Finished finished = new Finished();
    LauncherFactory.create().execute(request, summing, finished);
    TestExecutionSummary summary = summing.getSummary();
    summary.printFailuresTo(new PrintWriter(System.err, true, StandardCharsets.UTF_8), 50);
    System.out.println("java=" + Runtime.version().feature());
    System.out.println("protobuf=" + protobuf());
    System.out.println("passed=" + summary.getTestsSucceededCount());
    System.out.println("failed=" + summary.getTotalFailureCount());
    System.out.println(
        "skipped=" + (summary.getTestsSkippedCount() + summary.getTestsAbortedCount()));
    System.out.println("classes=" + String.join(" ", finished.classes));
    System.exit(0);
  }

  /** Recorder of the classes with at least one completed test. */
  private static final class Finished implements TestExecutionListener {
    final Set<String> classes = new TreeSet<>();

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (test.isTest()) {
        test.getSource()
            .filter(MethodSource.class::isInstance)
            .ifPresent(source -> classes.add(((MethodSource) source).getClassName()));
      }
    }
  }

  /** Returns the version in the manifest of the jar that is actually loaded. */
  private static String protobuf() {
    try {
      File jar =
          new File(ByteString.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      try (JarFile file = new JarFile(jar)) {
        return file.getManifest().getMainAttributes().getValue("Bundle-Version");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
