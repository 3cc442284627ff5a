package io.watchgate.e2e.promises;

import static org.awaitility.Awaitility.await;

import io.watchgate.check.CheckReport;
import io.watchgate.check.RecordedMessage;
import io.watchgate.check.Session;
import io.watchgate.check.Truth;
import io.watchgate.check.Validator;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchClientBuilder;
import io.watchgate.e2e.program.Program;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Informers, and stores of the packages in other languages, that take part in a trial: their states
 * and changes are judged like streams, by the same truth. Used by the thread of the check.
 */
final class JudgedInformers implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  /** Small, so that many readers begin while the store changes. */
  private static final int CHANGES_OF_READER = 20;

  private final WatchClient client;
  private final List<Integer> ports;
  private final Map<String, Program> packages;
  private final List<JudgedStore> all = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final SortedMap<String, Long> states = new TreeMap<>();
  private final SortedMap<String, Long> changes = new TreeMap<>();
  private CheckReport report = CheckReport.NONE;

  /**
   * @param ports ports of the gateway, or of each of its replicas
   * @param packages programs with stores of packages, by their language
   */
  JudgedInformers(List<Integer> ports, Map<String, Program> packages) {
    this.ports = ports;
    this.packages = packages;
    WatchClientBuilder builder = WatchClient.to("127.0.0.1", ports.getFirst());
    ports.stream().skip(1).forEach(port -> builder.and("127.0.0.1", port));
    client = builder.build();
  }

  void begin(List<String> namespaces) {
    List<InformerSelection> selections = InformerSelection.in(Set.copyOf(namespaces));
    selections.forEach(one -> all.add(new JudgedInformer(client, one)));
    packages.forEach(
        (name, program) ->
            all.addAll(
                new PackageStores(name, program, ports, selections, CHANGES_OF_READER).stores()));
  }

  /** Waits until the informers are synced, so that faults affect them. */
  void awaitSynced() {
    await().atMost(LIMIT).until(() -> all.stream().allMatch(JudgedStore::isSynced));
  }

  /** Returns the number of observed states of stores. */
  long looks() {
    return all.stream().mapToLong(JudgedStore::stateCount).sum();
  }

  /** Replaces handlers, and compares changes with states. */
  void turn() {
    all.forEach(JudgedStore::replaceHandler);
    all.forEach(one -> one.compareChanges(LIMIT));
  }

  /** Waits until the informers of the type have received the last change, and judges them. */
  void judge(String type, Truth truth) throws InterruptedException {
    List<Session> sessions = new ArrayList<>();
    for (JudgedStore one : all) {
      if (one.interest().type().equals(type)) {
        List<Session> own = one.settled(truth, LIMIT);
        sessions.addAll(own);
        wrong.addAll(one.wrong());
        states.merge(one.language(), (long) one.stateCount(), Long::sum);
        long received = own.stream().skip(1).mapToLong(JudgedInformers::events).sum();
        changes.merge(one.language(), received, Long::sum);
      }
    }
    report = report.plus(Validator.judge(truth, sessions));
  }

  private static long events(Session session) {
    return session.messages().stream()
        .filter(RecordedMessage.Response.class::isInstance)
        .mapToLong(one -> ((RecordedMessage.Response) one).events().size())
        .sum();
  }

  InformerResults results() {
    return new InformerResults(report, wrong, states, changes);
  }

  @Override
  public void close() {
    all.forEach(JudgedStore::close);
    client.close();
  }
}
