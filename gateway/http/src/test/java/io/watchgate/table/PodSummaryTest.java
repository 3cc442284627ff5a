package io.watchgate.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests with pods in lenient JSON: unquoted names, single quotes. */
class PodSummaryTest {
  private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");

  private static PodSummary summary(String metadata, String spec, String status) {
    String text = "{metadata:{" + metadata + "},spec:{" + spec + "},status:{" + status + "}}";
    return PodSummary.of(
        JsonView.of(JsonParser.parseString(text).toString().getBytes(StandardCharsets.UTF_8)));
  }

  private static final String ONE = "containers:[{name:a}]";
  private static final String TWO = "containers:[{name:a},{name:b}]";
  private static final String INIT = "initContainers:[{name:i},{name:j}],containers:[{name:a}]";
  private static final String SIDECAR =
      "initContainers:[{name:i},{name:s,restartPolicy:Always}],containers:[{name:a}]";
  private static final String RUNNING = "{name:a,ready:true,restartCount:0,state:{running:{}}}";

  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no container status yet   | phase:Pending | Pending | 0/1
          running                   | phase:Running,containerStatuses:[RUNNING] | Running | 1/1
          running, not ready        | phase:Running,containerStatuses:[{name:a,state:{running:{}}}] | Running | 0/1
          waiting                   | phase:Pending,containerStatuses:[{name:a,state:{waiting:{reason:ContainerCreating}}}] | ContainerCreating | 0/1
          waiting without reason    | phase:Pending,containerStatuses:[{name:a,state:{waiting:{}}}] | Pending | 0/1
          crashing                  | phase:Running,containerStatuses:[{name:a,restartCount:4,state:{waiting:{reason:CrashLoopBackOff}}}] | CrashLoopBackOff | 0/1
          ended with a reason       | phase:Failed,containerStatuses:[{name:a,state:{terminated:{exitCode:1,reason:Error}}}] | Error | 0/1
          ended by a signal         | phase:Failed,containerStatuses:[{name:a,state:{terminated:{exitCode:137,signal:9}}}] | Signal:9 | 0/1
          ended with a code         | phase:Failed,containerStatuses:[{name:a,state:{terminated:{exitCode:3}}}] | ExitCode:3 | 0/1
          completed                 | phase:Succeeded,containerStatuses:[{name:a,state:{terminated:{exitCode:0,reason:Completed}}}] | Completed | 0/1
          evicted                   | phase:Failed,reason:Evicted | Evicted | 0/1
          gated                     | phase:Pending,conditions:[{type:PodScheduled,status:'False',reason:SchedulingGated}] | SchedulingGated | 0/1
          """)
  void statusOfAPodWithOneContainer(String what, String status, String said, String ready) {
    PodSummary pod = summary("", ONE, status.replace("RUNNING", RUNNING));

    assertThat(pod.status()).as(what).isEqualTo(said);
    assertThat(pod.ready() + "/" + pod.containers()).isEqualTo(ready);
  }

  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          one completed, one ready          | {name:a,state:{terminated:{exitCode:0,reason:Completed}}},READY | conditions:[{type:Ready,status:'True'}] | Running | 1/2
          one completed, pod not ready      | {name:a,state:{terminated:{exitCode:0,reason:Completed}}},READY | conditions:[{type:Ready,status:'False'}] | NotReady | 1/2
          completed first, failed second    | {name:a,state:{terminated:{exitCode:0,reason:Completed}}},{name:b,state:{terminated:{exitCode:2,reason:OOMKilled}}} | conditions:[] | OOMKilled | 0/2
          failed first, completed second    | {name:a,state:{terminated:{exitCode:2,reason:OOMKilled}}},{name:b,state:{terminated:{exitCode:0,reason:Completed}}} | conditions:[] | OOMKilled | 0/2
          the first waiting one is named    | {name:a,state:{waiting:{reason:ErrImagePull}}},{name:b,state:{waiting:{reason:ContainerCreating}}} | conditions:[] | ErrImagePull | 0/2
          """)
  void statusOfAPodWithTwoContainers(
      String what, String containers, String conditions, String said, String ready) {
    String statuses =
        containers.replace("READY", "{name:b,ready:true,restartCount:0,state:{running:{}}}");
    PodSummary pod =
        summary("", TWO, "phase:Running," + conditions + ",containerStatuses:[" + statuses + "]");

    assertThat(pod.status()).as(what).isEqualTo(said);
    assertThat(pod.ready() + "/" + pod.containers()).isEqualTo(ready);
  }

  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          the first runs             | {name:i,state:{running:{}}},{name:j,state:{waiting:{reason:PodInitializing}}} | Init:0/2
          the second runs            | {name:i,state:{terminated:{exitCode:0}}},{name:j,state:{running:{}}} | Init:1/2
          the second waits           | {name:i,state:{terminated:{exitCode:0}}},{name:j,state:{waiting:{reason:PodInitializing}}} | Init:1/2
          no image                   | {name:i,state:{waiting:{reason:ImagePullBackOff}}} | Init:ImagePullBackOff
          ended with a reason        | {name:i,state:{terminated:{exitCode:1,reason:Error}}} | Init:Error
          ended with a code          | {name:i,state:{terminated:{exitCode:7}}} | Init:ExitCode:7
          ended by a signal          | {name:i,state:{terminated:{exitCode:137,signal:9}}} | Init:Signal:9
          all done                   | {name:i,state:{terminated:{exitCode:0}}},{name:j,state:{terminated:{exitCode:0}}} | PodInitializing
          """)
  void statusWhileInitContainersRun(String what, String initStatuses, String said) {
    PodSummary pod =
        summary(
            "",
            INIT,
            "phase:Pending,initContainerStatuses:["
                + initStatuses
                + "],containerStatuses:[{name:a,state:{waiting:{reason:PodInitializing}}}]");

    assertThat(pod.status()).as(what).isEqualTo(said);
    assertThat(pod.containers()).isEqualTo(1);
  }

  @Test
  void sidecar_countsAsContainer() {
    PodSummary pod =
        summary(
            "",
            SIDECAR,
            "phase:Running,initContainerStatuses:[{name:i,restartCount:2,state:{terminated:{exitCode:0}}},"
                + "{name:s,restartCount:3,started:true,ready:true,state:{running:{}}}],"
                + "containerStatuses:["
                + RUNNING
                + "]");

    assertThat(pod.status()).isEqualTo("Running");
    assertThat(pod.ready() + "/" + pod.containers()).isEqualTo("2/2");
    assertThat(pod.restartCount()).as("of the sidecar, not of the finished one").isEqualTo(3);
  }

  @Test
  void sidecarNotStarted_keepsThePodInitializing() {
    PodSummary pod =
        summary(
            "",
            SIDECAR,
            "phase:Pending,initContainerStatuses:[{name:i,state:{terminated:{exitCode:0}}},"
                + "{name:s,started:false,state:{running:{}}}]");

    assertThat(pod.status()).isEqualTo("Init:1/2");
  }

  @ParameterizedTest
  @CsvSource({
    "phase:Running, Terminating",
    "phase:Pending, Terminating",
    "phase:Succeeded, Succeeded",
    "phase:Failed, Failed",
    "'phase:Running,reason:NodeLost', Unknown"
  })
  void statusOfAPodBeingDeleted(String status, String said) {
    assertThat(summary("deletionTimestamp:'2026-01-01T00:00:00Z'", ONE, status).status())
        .isEqualTo(said);
  }

  @Test
  void restarts_includeTimeOfTheLast() {
    PodSummary pod =
        summary(
            "",
            TWO,
            "phase:Running,containerStatuses:["
                + "{name:a,restartCount:1,lastState:{terminated:{finishedAt:'2026-01-01T00:30:00Z'}}},"
                + "{name:b,restartCount:2,lastState:{terminated:{finishedAt:'2026-01-01T00:45:00Z'}}}]");

    assertThat(pod.restarts(NOW)).isEqualTo("3 (15m ago)");
  }

  @Test
  void noRestart_hasNoTime() {
    assertThat(summary("", ONE, "phase:Running,containerStatuses:[" + RUNNING + "]").restarts(NOW))
        .isEqualTo("0");
  }

  @Test
  void status_withMissingFields_usesTheRest() {
    assertThat(summary("", "", "phase:Running,containerStatuses:7,conditions:{}").status())
        .isEqualTo("Running");
  }
}
