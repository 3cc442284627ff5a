package io.watchgate.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.http.StatusException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Concurrency test of the store: all writes have one order, and a conditional update never
 * overwrites a change that its writer has not read.
 */
final class ManyWritersTest {
  private static final int WRITERS = 8;
  private static final int WRITES = 100;
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String SECRETS = "/api/v1/namespaces/default/secrets";

  @Test
  void versionsAreUniqueAndNoUpdateIsLost() throws Exception {
    try (SandboxUnderTest sandbox = new SandboxUnderTest();
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
      sandbox.post(MAPS, "{\"metadata\":{\"name\":\"counter\"},\"data\":{\"n\":\"0\"}}");
      Revision maps = sandbox.head(MAPS);
      Revision secrets = sandbox.head(SECRETS);
      List<Callable<Void>> all = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        int number = writer;
        all.add(
            () -> {
              for (int i = 0; i < WRITES; i++) {
                count(sandbox);
                String secret = "s" + number;
                if (i % 2 == 0) {
                  sandbox.post(SECRETS, "{\"metadata\":{\"name\":\"" + secret + "\"}}");
                } else {
                  sandbox.delete(SECRETS + "/" + secret);
                }
              }
              return null;
            });
      }
      for (Future<Void> done : writers.invokeAll(all)) {
        done.get();
      }

      assertThat(JsonTree.text(sandbox.get(MAPS + "/counter"), "data", "n"))
          .isEqualTo(Integer.toString(WRITERS * WRITES));
      Set<String> seen = new HashSet<>();
      assertThat(ascending(maps, seen)).isEqualTo(WRITERS * WRITES);
      assertThat(ascending(secrets, seen)).isEqualTo(WRITERS * WRITES);
      assertThat(seen).as("no version twice").hasSize(2 * WRITERS * WRITES);
    }
  }

  /**
   * Increments the counter: reads it and writes it on condition that it has not changed, until the
   * write succeeds.
   */
  private static void count(SandboxUnderTest sandbox) throws StatusException {
    while (true) {
      JsonObject map = sandbox.get(MAPS + "/counter");
      long n = JsonTree.number(map, -1, "data", "n");
      JsonTree.objectOrNew(map, "data").addProperty("n", Long.toString(n + 1));
      try {
        sandbox.put(MAPS + "/counter", map.toString());
        return;
      } catch (StatusException e) {
        assertThat(e.code()).isEqualTo(409);
      }
    }
  }

  private static int ascending(Revision from, Set<String> seen) {
    int count = 0;
    ResourceVersion last = from.version();
    for (Revision at = from.next(); at != null; at = Objects.requireNonNull(at).next()) {
      assertThat(at.version().isAfter(last)).isTrue();
      last = at.version();
      seen.add(last.digits());
      count++;
    }
    return count;
  }
}
