package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.program.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Configuration of an OpenTelemetry Collector in a document. */
final class CollectorConfiguration {
  private CollectorConfiguration() {}

  /**
   * Checks that Prometheus takes the configuration of the receiver, which is its own format, and
   * that the pipeline has the receiver and the exporter that are configured.
   */
  static Check isTakenByPrometheus() {
    return (block, world) -> {
      JsonNode read =
          new ObjectMapper()
              .valueToTree(new Load(LoadSettings.builder().build()).loadFromString(block.text()));
      JsonNode pipeline = read.at("/service/pipelines/metrics");
      for (String part : List.of("receivers", "exporters")) {
        assertThat(pipeline.at("/" + part + "/0").asText())
            .isEqualTo(read.get(part).fieldNames().next());
      }
      assumeThat(RequiredTool.PROMTOOL.missing()).isEmpty();
      Path file =
          Files.writeString(
              Repository.target("documents").resolve("receiver.yaml"),
              read.at("/receivers/prometheus/config").toString());
      assertThat(
              Program.of(Repository.root().resolve("e2e/monitoring/promtool").toString())
                  .and("check", "config", file.toString())
                  .run())
          .contains("SUCCESS");
    };
  }
}
