package io.watchgate.e2e.unmodified;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.proxy.FaultProxy;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test of unmodified informers while the gateway, and the apiserver behind it, restart. */
@WithApiserver
final class ProxyRestartTest {
  /** client-go waits up to 30 s between two attempts, and so does the gateway. */
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** Notifications that are compared after each restart. */
  private static final int CHANGES = 30;

  @Test
  void informers_haveTheStateAfterRestarts(
      @OwnApiserver(flags = OwnApiserver.STOPS_SOON) Apiserver apiserver, @TempDir Path folder)
      throws Exception {
    List<Informer.Kind> kinds = new ArrayList<>(List.of(Informer.Kind.values()));
    // fabric8 7.9 asks for the initial events at each reconnect, but ignores their end, so that it
    // misses what was deleted meanwhile.
    kinds.remove(Informer.Kind.FABRIC8_WITH_WATCH_LIST);
    assertStateAfterRestarts(
        apiserver, folder, kinds.stream().<Informer.Starter>map(kind -> kind::start).toList());
    for (Informer.Kind kind : kinds) {
      kind.client().record(TriedClient.Circumstance.RESTARTS);
    }
  }

  @Test
  @Tag("thorough")
  @Requires(RequiredTool.GO)
  @Requires(RequiredTool.PYTHON)
  @Requires(RequiredTool.NODE)
  @Requires(RequiredTool.CARGO)
  void otherClients_haveTheStateAfterRestarts(
      @OwnApiserver(flags = OwnApiserver.STOPS_SOON) Apiserver apiserver, @TempDir Path folder)
      throws Exception {
    List<Informer.Starter> starters = new ArrayList<>(GoInformer.informers());
    starters.add(ProgramInformer::ofPython);
    starters.add(ProgramInformer::ofAsyncioPython);
    starters.add((target, namespace) -> ProgramInformer.ofNode(1, target, namespace));
    starters.add((target, namespace) -> ProgramInformer.ofNode(2, target, namespace));
    for (String strategy : List.of("list", "streaming-list")) {
      starters.add((target, namespace) -> ProgramInformer.ofKubeRs(strategy, target, namespace));
    }
    assertStateAfterRestarts(apiserver, folder, starters);
    for (TriedClient client :
        List.of(
            TriedClient.OLDEST_CLIENT_GO,
            TriedClient.NEWEST_CLIENT_GO,
            TriedClient.OFFICIAL_PYTHON,
            TriedClient.ASYNCIO_PYTHON,
            TriedClient.JAVASCRIPT_1,
            TriedClient.JAVASCRIPT_2,
            TriedClient.KUBE_RS)) {
      client.record(TriedClient.Circumstance.RESTARTS);
    }
  }

  /**
   * A RetryWatcher has no list to fall back on: it resumes at its last version. So the restarted
   * gateway must have the changes since then.
   */
  @Test
  @Tag("thorough")
  @Requires(RequiredTool.GO)
  void retryWatchers_receiveAllChangesOverARestart(
      @OwnApiserver(flags = OwnApiserver.STOPS_SOON) Apiserver apiserver, @TempDir Path folder)
      throws Exception {
    Command gateway = startReady(apiserver);
    List<Informer> watchers = new ArrayList<>();
    try (FaultProxy front = new FaultProxy(kubeUri(gateway))) {
      Target proxied = ProxyProcess.target(apiserver, front.port(), folder);
      LabeledMaps maps = LabeledMaps.in(proxied);
      maps.create("first", "web");
      for (GoInformer watcher : GoInformer.retryWatchers()) {
        watchers.add(watcher.start(proxied, maps.namespace()));
      }
      Informer direct =
          GoInformer.retryWatchers().getLast().start(Target.of(apiserver), maps.namespace());
      watchers.add(direct);
      awaitObject("first", watchers);

      try (MapWriter _ = MapWriter.start(maps)) {
        awaitObject("written-0", watchers);
        front.pass(FaultProxy.Manner.CUT); // until the next gateway has loaded the type
        gateway.close();
        maps.set("first", 1);
        maps.delete("first");
        gateway = startReady(apiserver);
        front.setTarget(kubeUri(gateway));
        front.pass(FaultProxy.Manner.PASSING);
        maps.create("after", "web");
        awaitObject("after", watchers);
      }
      maps.create("last", "web");
      awaitObject("last", watchers);
      assertThat(watchers)
          .allSatisfy(watcher -> assertThat(watcher.versions()).isEqualTo(direct.versions()));
      AnswerSources.awaitWatches(gateway, GoInformer.retryWatchers().size(), 0);
    } finally {
      watchers.forEach(Informer::close);
      gateway.close();
    }
    for (GoInformer watcher : GoInformer.retryWatchers()) {
      watcher.client().record(TriedClient.Circumstance.RESTARTS);
    }
  }

  /**
   * Each informer at the gateway has a twin at the apiserver. Over a restart they may notify of
   * different changes, since one of them lists again; before and after it of the same.
   */
  private static void assertStateAfterRestarts(
      Apiserver apiserver, Path folder, List<Informer.Starter> starters) throws Exception {
    Command gateway = startReady(apiserver);
    List<Informer> informers = new ArrayList<>();
    List<Informer> twins = new ArrayList<>();
    try (FaultProxy front = new FaultProxy(kubeUri(gateway))) {
      Target target = ProxyProcess.target(apiserver, front.port(), folder);
      LabeledMaps maps = LabeledMaps.in(target);
      maps.create("first", "web");
      maps.create("deleted", "web");
      maps.create("relabeled", "web");
      for (Informer.Starter starter : starters) {
        informers.add(starter.start(target, maps.namespace()));
        twins.add(starter.start(Target.of(apiserver), maps.namespace()));
      }
      awaitState(maps, informers);
      awaitState(maps, twins);
      AnswerSources.awaitWatches(gateway, informers.size(), 0);

      try (MapWriter _ = MapWriter.start(maps)) {
        awaitObject("written-0", informers);
        // Until the next gateway has loaded the type: it would relay watches before.
        front.pass(FaultProxy.Manner.CUT);
        gateway.close();
        maps.set("first", 1);
        maps.create("during", "web");
        maps.delete("deleted");
        maps.label("relabeled", "api");
        gateway = startReady(apiserver);
        front.setTarget(kubeUri(gateway));
        front.pass(FaultProxy.Manner.PASSING);
        maps.create("after", "web");
        awaitObject("after", informers);
      }
      awaitState(maps, informers);
      AnswerSources.awaitWatches(gateway, informers.size(), 0);
      assertSameChanges(maps, "gateway", informers, twins);

      apiserver.stop();
      apiserver.start();
      maps.delete("during");
      maps.set("first", 2);
      awaitState(maps, informers);
      awaitState(maps, twins);
      AnswerSources.awaitWatches(gateway, informers.size(), 0);
      assertSameChanges(maps, "apiserver", informers, twins);
    } finally {
      informers.forEach(Informer::close);
      twins.forEach(Informer::close);
      gateway.close();
    }
  }

  private static Command startReady(Apiserver apiserver) {
    Command gateway = ProxyProcess.start(apiserver, 0, "configmaps");
    gateway.awaitReady();
    return gateway;
  }

  private static URI kubeUri(Command gateway) {
    return URI.create("https://127.0.0.1:" + gateway.awaitServing().kube());
  }

  /**
   * Writes for a while, and compares what the informers notify of meanwhile with what their twins
   * do. All of them watch, since they have the state.
   *
   * @param restarted server that was restarted before
   */
  private static void assertSameChanges(
      LabeledMaps maps, String restarted, List<Informer> informers, List<Informer> twins) {
    String begin = "begin-" + restarted;
    maps.create(begin, "web");
    awaitObject(begin, informers);
    awaitObject(begin, twins);
    try (MapWriter _ = MapWriter.start(maps)) {
      await()
          .atMost(LIMIT)
          .until(
              () ->
                  informers.stream().allMatch(each -> each.versionsAfter(begin).size() >= CHANGES));
    }
    maps.create("end-" + restarted, "web");
    awaitObject("end-" + restarted, informers);
    awaitObject("end-" + restarted, twins);
    for (int i = 0; i < informers.size(); i++) {
      assertThat(informers.get(i).versionsAfter(begin))
          .as("%s, after a restart of the %s", informers.get(i), restarted)
          .isEqualTo(twins.get(i).versionsAfter(begin));
    }
  }

  /** Waits until each informer has had an object. */
  private static void awaitObject(String name, List<Informer> informers) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(informers)
                    .allSatisfy(informer -> assertThat(informer.story()).contains("add " + name)));
  }

  private static void awaitState(LabeledMaps maps, List<Informer> informers) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              Map<String, JsonNode> listed = maps.listed();
              for (Informer informer : informers) {
                assertThat(informer.state())
                    .as("%s", informer)
                    .isEqualTo(informer.expected(listed));
              }
            });
  }
}
