package io.watchgate.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Program of Node in {@code e2e/browser} that has cases for Chromium. */
public final class BrowserProgram {
  private static final Pattern PASSED = Pattern.compile("(?m)^# pass (\\d+)$");

  private BrowserProgram() {}

  /**
   * Runs the cases of a program, all of which must pass.
   *
   * @param environment of the program, beside the browser
   * @param cases expected number of cases that pass
   */
  public static void requirePassed(String script, Map<String, String> environment, int cases)
      throws Exception {
    Map<String, String> all = new HashMap<>(environment);
    all.put("CHROMIUM", Repository.root().resolve("e2e/browser/chromium").toString());
    // Not the form of a terminal, in which the count could not be read.
    all.put("NODE_OPTIONS", "--test-reporter=tap");
    String output = NodeProgram.prepare("e2e/browser", script).with(all).run();

    assertThat(PASSED.matcher(output).results().map(result -> result.group(1)))
        .as(output)
        .containsExactly(Integer.toString(cases));
  }
}
