package io.watchgate.table;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Columns of jobs and cron jobs. */
final class JobColumns {
  private JobColumns() {}

  static final List<TableColumn> JOB =
      List.of(
          TableColumn.name(),
          TableColumn.of("Status", "State of the job in one word.", JobColumns::status),
          TableColumn.of(
              "Completions", "Succeeded pods of the wanted ones.", JobColumns::completions),
          TableColumn.of(
              "Duration",
              "string",
              "Time from start to completion, or until now.",
              JobColumns::duration),
          TableColumn.age(),
          WorkloadColumns.containers("spec", "template", "spec", "containers"),
          WorkloadColumns.images("spec", "template", "spec", "containers"),
          WorkloadColumns.selector("spec", "selector"));

  static final List<TableColumn> CRON_JOB =
      List.of(
          TableColumn.name(),
          TableColumn.of(
              "Schedule", "Schedule in cron format.", job -> job.get("spec", "schedule").text()),
          TableColumn.of(
              "Timezone",
              "Time zone of the schedule.",
              job ->
                  job.get("spec", "timeZone").exists()
                      ? job.get("spec", "timeZone").text()
                      : CellText.NONE),
          TableColumn.of(
              "Suspend",
              "boolean",
              "True if no further jobs are started.",
              TableColumn.text(JobColumns::suspend)),
          TableColumn.of(
              "Active",
              "integer",
              "Number of running jobs.",
              (job, now) -> new JsonPrimitive(job.get("status", "active").items().size())),
          TableColumn.of(
              "Last Schedule", "string", "Time since the last job was started.", JobColumns::last),
          TableColumn.age(),
          WorkloadColumns.containers(
              "spec", "jobTemplate", "spec", "template", "spec", "containers"),
          WorkloadColumns.images("spec", "jobTemplate", "spec", "template", "spec", "containers"),
          WorkloadColumns.selector("spec", "jobTemplate", "spec", "selector"));

  private static String status(JsonView job) {
    if (hasCondition(job, "Complete")) {
      return "Complete";
    }
    if (hasCondition(job, "Failed")) {
      return "Failed";
    }
    if (job.get("metadata", "deletionTimestamp").exists()) {
      return "Terminating";
    }
    return List.of("Suspended", "FailureTarget", "SuccessCriteriaMet").stream()
        .filter(condition -> hasCondition(job, condition))
        .findFirst()
        .orElse("Running");
  }

  /** Returns whether the first condition of this type is true. */
  static boolean hasCondition(JsonView object, String type) {
    return object.get("status", "conditions").items().stream()
        .filter(condition -> condition.get("type").text().equals(type))
        .findFirst()
        .map(condition -> condition.get("status").text().equals("True"))
        .orElse(false);
  }

  private static String completions(JsonView job) {
    int succeeded = job.get("status", "succeeded").number();
    JsonView wanted = job.get("spec", "completions");
    if (wanted.exists()) {
      return succeeded + "/" + wanted.number();
    }
    int parallelism = job.get("spec", "parallelism").number();
    return succeeded + (parallelism > 1 ? "/1 of " + parallelism : "/1");
  }

  private static JsonElement duration(JsonView job, Instant now) {
    Optional<Instant> end = job.get("status", "completionTime").time();
    return new JsonPrimitive(
        job.get("status", "startTime")
            .time()
            .map(start -> HumanDuration.of(Duration.between(start, end.orElse(now))))
            .orElse(""));
  }

  private static String suspend(JsonView job) {
    JsonView suspend = job.get("spec", "suspend");
    return !suspend.exists() ? "<unset>" : suspend.isTrue() ? "True" : "False";
  }

  private static JsonElement last(JsonView job, Instant now) {
    Optional<Instant> last = job.get("status", "lastScheduleTime").time();
    return new JsonPrimitive(last.isEmpty() ? CellText.NONE : HumanDuration.since(last, now));
  }
}
