package io.watchgate.e2e.promises;

import io.watchgate.e2e.ChildProcess;
import io.watchgate.e2e.OwnJvm;
import io.watchgate.e2e.Repository;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * One test that runs in a separate JVM, with classes that may be changed, because a test of this
 * module has a gateway in its own JVM.
 *
 * @param method {@code package.Class#method}
 */
record NamedTest(String method) {
  private static final int LIMIT_MINUTES = 5;

  /** Classes of tests that this module does not depend on, and that may detect a mutation, too. */
  private static final List<Path> OTHER_TESTS =
      Stream.of("gateway/server", "gateway/core")
          .map(module -> Repository.root().resolve(module).resolve("target/test-classes"))
          .toList();

  /** Exit code of a passed test; unknown exit codes are no outcome. */
  private static final int ON_PASS = 0;

  private static final int ON_FAILURE = 10;
  private static final int ON_NO_TEST = 11;

  /** Outcome of the test. */
  enum Outcome {
    PASSED,
    FAILED
  }

  /**
   * Runs the test.
   *
   * @param changed folders of classes that replace the gateway's own
   * @throws IllegalStateException if it did not run: the method is missing, or was skipped
   */
  Outcome run(List<Path> changed) throws IOException, InterruptedException {
    List<String> classPath = new ArrayList<>();
    changed.forEach(folder -> classPath.add(folder.toString()));
    classPath.add(System.getProperty("java.class.path"));
    OTHER_TESTS.forEach(folder -> classPath.add(folder.toString()));
    List<String> line = OwnJvm.command();
    line.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            String.join(File.pathSeparator, classPath),
            NamedTest.class.getName(),
            method));
    File said = Repository.target("mutations").resolve("tests.log").toFile();
    Process process =
        ChildProcess.start(
            new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(said)));
    try {
      if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
        throw new IllegalStateException(method + " does not end; see " + said);
      }
    } finally {
      process.destroyForcibly();
    }
    return switch (process.exitValue()) {
      case ON_PASS -> Outcome.PASSED;
      case ON_FAILURE -> Outcome.FAILED;
      default -> throw new IllegalStateException(method + " was not run; see " + said);
    };
  }

  private Class<?> inClass() throws ClassNotFoundException {
    String name = method.substring(0, method.indexOf('#'));
    try {
      URL[] folders = new URL[OTHER_TESTS.size()];
      for (int i = 0; i < folders.length; i++) {
        folders[i] = OTHER_TESTS.get(i).toUri().toURL();
      }
      ClassLoader tests = new URLClassLoader(folders, NamedTest.class.getClassLoader());
      return Class.forName(name, /* initialize= */ false, tests);
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the method.
   *
   * @throws NoSuchElementException if there is none
   */
  Method find() throws ClassNotFoundException {
    String name = method.substring(method.indexOf('#') + 1);
    return Stream.of(inClass().getDeclaredMethods())
        .filter(one -> one.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new NoSuchElementException("there is no test " + method));
  }

  /** Main program of the other JVM: its argument is the method. */
  public static void main(String[] arguments) throws ClassNotFoundException {
    NamedTest test = new NamedTest(arguments[0]);
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectMethod(test.inClass(), test.find()))
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    TestExecutionSummary summary = listener.getSummary();
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    summary.printTo(out);
    summary.printFailuresTo(out);
    System.exit(
        summary.getTestsFailedCount() == 1
            ? ON_FAILURE
            : summary.getTestsSucceededCount() == 1 ? ON_PASS : ON_NO_TEST);
  }
}
