package io.watchgate.kube;

import static io.watchgate.kube.PluginScript.credential;
import static io.watchgate.kube.PluginScript.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.pem.CertificateAndKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests of the runs of an exec plugin, and of the use of its credentials. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
final class ExecCredentialSourceTest {
  /** Longer than anything takes that does not hang, also on a loaded machine. */
  private static final Duration LONG = Duration.ofMinutes(3);

  private static final Duration MARGIN = Duration.ofSeconds(30);
  private static final KubeSettings.Plugins SETTINGS = new KubeSettings.Plugins(LONG, MARGIN);
  private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");
  private final AtomicReference<Instant> now = new AtomicReference<>(BEGIN);
  @TempDir private Path folder;

  private PluginScript script() {
    return new PluginScript(folder);
  }

  private ExecCredentialSource login(PluginScript script) {
    return new ExecCredentialSource(script.plugin(), SETTINGS, now::get, LONG);
  }

  private static String shown(ExecCredentialSource login) throws IOException {
    return login.current().authorization();
  }

  private void pass(Duration time) {
    now.updateAndGet(before -> before.plus(time));
  }

  @Test
  void credential_isRenewedShortlyBeforeExpiry() throws Exception {
    PluginScript script = script().prints(token("first", "2030-01-01T01:00:00+00:00"));
    ExecCredentialSource login = login(script);
    assertThat(shown(login)).isEqualTo("Bearer first");
    script.prints(token("second", "2030-01-01T01:01:00Z"));
    pass(Duration.ofMinutes(60).minus(MARGIN).minusMillis(1));
    assertThat(shown(login)).isEqualTo("Bearer first");
    pass(Duration.ofMillis(1));
    assertThat(shown(login)).isEqualTo("Bearer second");
    // A quarter of this credential's lifetime of 90 s is shorter than the configured time.
    pass(Duration.ofSeconds(67));
    script.prints(credential("\"token\":\"third\""));
    assertThat(shown(login)).isEqualTo("Bearer second");
    pass(Duration.ofSeconds(1));
    assertThat(shown(login)).isEqualTo("Bearer third");
    pass(Duration.ofDays(1000));
    assertThat(shown(login)).isEqualTo("Bearer third");
    assertThat(script.runs()).isEqualTo(3);
  }

  @Test
  void rejectedCredential_isReplacedOnce() throws Exception {
    PluginScript script = script().prints(credential("\"token\":\"first\""));
    ExecCredentialSource login = login(script);
    RequestCredentials first = login.current();
    script.prints(credential("\"token\":\"second\""));
    login.onRejected(first);
    assertThat(shown(login)).isEqualTo("Bearer second");
    login.onRejected(first); // by another request that used it
    assertThat(shown(login)).isEqualTo("Bearer second");
    assertThat(script.runs()).isEqualTo(2);
  }

  @Test
  void failingPlugin_oldCredentialIsUsedUntilExpiry() throws Exception {
    PluginScript script = script().prints(token("first", "2030-01-01T01:00:00Z"));
    ExecCredentialSource login = login(script);
    assertThat(shown(login)).isEqualTo("Bearer first");
    script.does("exit 3");
    pass(Duration.ofMinutes(60).minusSeconds(20));
    assertThat(shown(login)).isEqualTo("Bearer first");
    assertThat(shown(login)).isEqualTo("Bearer first");
    assertThat(script.runs()).isEqualTo(2); // and not again before half of the rest has passed
    pass(Duration.ofSeconds(10));
    assertThat(shown(login)).isEqualTo("Bearer first");
    assertThat(script.runs()).isEqualTo(3);
    pass(Duration.ofSeconds(10));
    assertThatThrownBy(login::current).hasMessageContaining("exit code 3");
    script.prints(credential("\"token\":\"second\""));
    assertThat(shown(login)).isEqualTo("Bearer second");
  }

  /** Renewals begin early, so that a plugin that hangs delays nothing. */
  @Test
  void hangingPlugin_oldCredentialIsUsed() throws Exception {
    PluginScript script = script().prints(token("first", "2030-01-01T01:00:00Z"));
    ExecCredentialSource login =
        new ExecCredentialSource(script.plugin(), SETTINGS, now::get); // with the usual wait
    assertThat(shown(login)).isEqualTo("Bearer first");
    script.does("sleep 60");
    pass(Duration.ofMinutes(60).minusSeconds(20));
    List<CompletableFuture<String>> all = atOnce(login);
    for (CompletableFuture<String> one : all) {
      assertThat(one).succeedsWithin(LONG).isEqualTo("Bearer first");
    }
    await().until(() -> script.runs() == 2);
    login.close();
  }

  @Test
  void clientCertificate_isUsedWithOrWithoutToken() throws Exception {
    HeldCertificate held = new HeldCertificate.Builder().commonName("ann").build();
    ExecCredentialSource login = login(script().prints(PluginScript.certificate(held)));
    RequestCredentials shown = login.current();
    assertThat(shown.authorization()).isEmpty();
    assertThat(shown.identity())
        .isEqualTo(new CertificateAndKey(List.of(held.certificate()), held.keyPair().getPrivate()));
    assertThat(shown.toString()).isEqualTo("Login[...]");
  }

  @Test
  void concurrentCallers_causeOneRun() throws Exception {
    PluginScript script = script().does("sleep 0.3; echo '" + credential("\"token\":\"t\"") + "'");
    ExecCredentialSource login = login(script);
    for (CompletableFuture<String> one : atOnce(login)) {
      assertThat(one).succeedsWithin(LONG).isEqualTo("Bearer t");
    }
    assertThat(script.runs()).isEqualTo(1);
  }

  @Test
  void concurrentCallers_shareAFailure() throws Exception {
    Path all = folder.resolve("all");
    PluginScript script = script().does("until [ -e " + all + " ]; do sleep 0.1; done; exit 3");
    ExecCredentialSource login = login(script);
    List<Thread> callers = new ArrayList<>();
    List<CompletableFuture<String>> calls =
        atOnce(login, call -> callers.add(Thread.startVirtualThread(call)));
    // A caller that comes after the failure would run the plugin again.
    await()
        .until(
            () -> callers.stream().allMatch(caller -> caller.getState() == Thread.State.WAITING));
    Files.createFile(all);
    for (CompletableFuture<String> one : calls) {
      assertThat(one).succeedsWithin(LONG).asString().contains("exit code 3");
    }
    assertThat(script.runs()).isEqualTo(1);
  }

  private static List<CompletableFuture<String>> atOnce(ExecCredentialSource login) {
    return atOnce(login, Thread::startVirtualThread);
  }

  private static List<CompletableFuture<String>> atOnce(
      ExecCredentialSource login, Executor threads) {
    List<CompletableFuture<String>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return shown(login);
                } catch (IOException e) {
                  return String.valueOf(e.getMessage());
                }
              },
              threads));
    }
    return all;
  }

  @Test
  void errorInRun_doesNotFailTheNext() throws Exception {
    PluginScript script = script().prints(token("first", "2030-01-01T01:00:00Z"));
    AtomicBoolean broken = new AtomicBoolean(true);
    ExecCredentialSource login =
        new ExecCredentialSource(
            script.plugin(),
            SETTINGS,
            () -> {
              if (broken.getAndSet(false)) {
                throw new NoClassDefFoundError("on a classpath that was replaced");
              }
              return now.get();
            },
            LONG);
    assertThat(atOnce(login).getFirst())
        .succeedsWithin(LONG)
        .isEqualTo("on a classpath that was replaced");
    assertThat(shown(login)).isEqualTo("Bearer first");
    assertThat(script.runs()).isEqualTo(2);
  }

  @Test
  void close_killsRunningPlugin() throws Exception {
    PluginScript script = script().does("sleep 60");
    ExecCredentialSource login = login(script);
    List<CompletableFuture<String>> waiting = atOnce(login);
    await().until(() -> script.runs() == 1);
    login.close();
    assertThat(waiting.getFirst()).succeedsWithin(LONG).asString().contains("exit code");
  }
}
