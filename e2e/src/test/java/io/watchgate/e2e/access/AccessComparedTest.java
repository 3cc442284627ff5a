package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Resource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Randomized comparison of access decisions: the gateway must admit a caller exactly if the
 * apiserver permits the same caller to list and watch the same objects directly. Over the
 * Kubernetes read API each answer must have the apiserver's code and objects. {@code
 * -Dwatchgate.test.args=-Dseed=N} repeats rights and questions.
 */
@WithApiserver
@TestInstance(Lifecycle.PER_CLASS)
final class AccessComparedTest {
  /** Adds the Node authorizer to RBAC, which the test apiserver has already. */
  private static final String NODES_TOO = "--authorization-mode=Node";

  private static final int QUESTIONS = 1_000;
  private static final int GRANTS = 60;
  private static final int AT_A_TIME = 8;

  /** Minimum number of questions of each outcome; with fewer, the comparison proves little. */
  private static final int ENOUGH = QUESTIONS / 200;

  /** Rounds of questions: the rights of some seeds lead to few answers of one kind. */
  private static final int MOST_ROUNDS = 4;

  private static final List<String> KINDS =
      List.of(
          "both",
          "neither",
          "list only",
          "watch only",
          "one object",
          "several namespaces",
          "list over HTTP from cache",
          "list over HTTP from apiserver",
          "list as of now over HTTP from proven",
          "list of metadata over HTTP from cache",
          "watch over HTTP from cache",
          "watch over HTTP from apiserver",
          "streaming list over HTTP from proven",
          "get over HTTP from cache",
          "get over HTTP from apiserver",
          "answer with objects");

  private static final Type VOLUMES =
      new Type(
          new Resource("", "v1", "persistentvolumes", "PersistentVolume"),
          Type.Scope.CLUSTER,
          List.of());

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private final Random random = new Random(seed);

  @TempDir private static Path folder;

  private final List<RandomRights.Drawn> granted = new ArrayList<>();
  private Apiserver apiserver;
  private SecuredGateway secured;
  private List<ComparedUser> comparedUsers;

  @BeforeAll
  void open(@OwnApiserver(flags = NODES_TOO) Apiserver own) {
    System.out.println("Access compared with seed " + seed);
    apiserver = own;
    ComparedUsers users = ComparedUsers.create(own);
    GatewayAccount gatewayAccount =
        GatewayAccount.create(own, folder, "watchgate", Type.ALL, GatewayAccount.REVIEWS_AND_ROLES);
    List<String> options = new ArrayList<>();
    options.addAll(List.of("--token-review", "--token-audience", GatewayAccount.AUDIENCE));
    // Static tokens of the apiserver have only its own audience.
    options.addAll(List.of("--token-audience", ComparedUsers.APISERVER_AUDIENCE));
    options.addAll(List.of("--kube-listen", "127.0.0.1:0"));
    // All are loaded before the first question: a list of a type that loads may be refused.
    Type.ALL.forEach(type -> options.addAll(List.of("--type", type.argument())));
    secured = SecuredGateway.open(gatewayAccount, options.toArray(String[]::new));
    secured.awaitReady();
    comparedUsers = users.comparedUsers(secured);
    Rights rights = new Rights(own.cluster());
    RandomRights drawing = new RandomRights(random, rights);
    granted.addAll(drawing.halves());
    List<Subject> subjects = users.subjects();
    for (int i = 0; i < GRANTS; i++) {
      granted.add(drawing.grant(subjects.get(random.nextInt(subjects.size()))));
    }
    awaitThatRightsHold(rights);
  }

  @AfterAll
  void close() {
    if (comparedUsers != null) {
      comparedUsers.forEach(ComparedUser::close);
    }
    if (secured != null) {
      secured.close();
    }
  }

  /**
   * Waits until the rights apply. The apiserver receives the changes of each of the four types in
   * order, so it suffices to wait for the last ones.
   */
  private void awaitThatRightsHold(Rights rights) {
    new Accounts(apiserver.cluster()).namespace("last");
    ComparedUser last = user("erin");
    rights.everywhere(Subject.user(last.name()), Rule.watching("persistentvolumes"));
    rights.in("last", Subject.user(last.name()), Rule.watching("secrets"));
    Rights.awaitAnswer(last.direct(), VOLUMES, "", 200);
    Rights.awaitAnswer(last.direct(), Type.SECRETS, "last", 200);
    ComparedUser node = user("system:node:node-1");
    await()
        .atMost(Duration.ofMinutes(3))
        .until(
            () ->
                node.direct()
                        .answerToList(
                            Type.CONFIGMAPS.resource(),
                            "a",
                            Map.of("fieldSelector", "metadata.name=n1"))
                    == 200);
  }

  private ComparedUser user(String name) {
    return comparedUsers.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void gateway_decidesLikeApiserver() throws Exception {
    RandomQuestions questions = new RandomQuestions(random, comparedUsers, granted);
    Map<String, LongAdder> tally = new ConcurrentHashMap<>();
    List<String> differences = new ArrayList<>();
    int rounds = 0;
    do {
      differences.addAll(differencesOf(questions, tally));
      rounds++;
    } while (rounds < MOST_ROUNDS
        && !KINDS.stream().allMatch(kind -> count(tally, kind) >= ENOUGH));
    System.out.println("Access compared with seed " + seed + ": " + tally);

    assertThat(differences).as("seed %d%n%s", seed, RandomQuestions.lines(differences)).isEmpty();
    assertThat(KINDS)
        .allSatisfy(
            kind ->
                assertThat(count(tally, kind))
                    .as("%s, seed %d", kind, seed)
                    .isGreaterThanOrEqualTo(ENOUGH));
  }

  private List<String> differencesOf(RandomQuestions questions, Map<String, LongAdder> tally)
      throws Exception {
    List<Future<List<String>>> answers = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(AT_A_TIME)) {
      for (int i = 0; i < QUESTIONS; i++) {
        Question question = questions.next();
        answers.add(pool.submit(() -> differences(question, tally)));
      }
    }
    List<String> differences = new ArrayList<>();
    for (Future<List<String>> answer : answers) {
      differences.addAll(answer.get());
    }
    return differences;
  }

  private static long count(Map<String, LongAdder> tally, String kind) {
    return tally.getOrDefault(kind, new LongAdder()).sum();
  }

  @Test
  void streamingList_requiresListRight() {
    new Accounts(apiserver.cluster()).namespace("streaming");
    ComparedUser user = user("erin");
    new Rights(apiserver.cluster())
        .in("streaming", Subject.user(user.name()), Rule.verbs("pods", "watch"));
    await().atMost(Duration.ofMinutes(3)).until(() -> streamingList(user) == 200);
    Question question = new Question(user, Type.PODS, "pods", List.of("streaming"), "", "", "");

    assertThat(question.ask()).isEqualTo(new Question.Truth(false, true));
    assertThat(question.watch()).isEqualTo(Decision.DENIED);
    assertThat(question.list()).isEqualTo(Decision.DENIED);
  }

  /** Returns the status code of the apiserver; with 200 it sends all objects. */
  private static int streamingList(ComparedUser user) {
    return user.direct()
        .answerToWatch(
            Type.PODS.resource(),
            "streaming",
            Map.of(
                "sendInitialEvents", "true",
                "resourceVersionMatch", "NotOlderThan",
                "allowWatchBookmarks", "true"));
  }

  private static List<String> differences(Question question, Map<String, LongAdder> tally) {
    Question.Truth truth = question.ask();
    List<String> differences = new ArrayList<>();
    String watch = question.watch();
    if (!watch.equals(truth.ofWatch())) {
      differences.add(question + ": " + truth + ", but a stream is " + watch);
    }
    String list = question.list();
    if (!list.equals(truth.ofList())) {
      differences.add(question + ": " + truth + ", but a list is " + list);
    }
    differences.addAll(question.differencesOverHttp(tally));
    increment(tally, kind(truth));
    if (truth.mayList() && truth.mayWatch()) {
      if (question.isByName()) {
        increment(tally, "one object");
      }
      if (question.namespaces().size() > 1) {
        increment(tally, "several namespaces");
      }
    }
    return differences;
  }

  private static String kind(Question.Truth truth) {
    if (truth.mayList()) {
      return truth.mayWatch() ? "both" : "list only";
    }
    return truth.mayWatch() ? "watch only" : "neither";
  }

  private static void increment(Map<String, LongAdder> tally, String kind) {
    tally.computeIfAbsent(kind, key -> new LongAdder()).increment();
  }
}
