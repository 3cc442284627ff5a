package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.google.protobuf.Duration;
import com.google.rpc.Code;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.ServedType;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code watchgate types} against a gateway that serves three types. */
@Timeout(300)
class TypesCommandTest {
  private final ScriptedGateway gateway = new ScriptedGateway();

  private static ServedType.Builder type(String group, String resource, String kind) {
    return ServedType.newBuilder()
        .setResourceType(
            ResourceType.newBuilder().setGroup(group).setVersion("v1").setResource(resource))
        .setKind(kind)
        .setNamespaced(true);
  }

  @BeforeEach
  void serve() {
    gateway.types =
        ListResourceTypesResponse.newBuilder()
            .addTypes(type("apps", "deployments", "Deployment").addShortNames("deploy"))
            .addTypes(type("", "nodes", "Node").setNamespaced(false).setError("no\033[31mdice"))
            .addTypes(
                type("", "configmaps", "ConfigMap")
                    .setSynced(true)
                    .setObjects(7)
                    .setStaleness(Duration.newBuilder().setSeconds(150).setNanos(5_000_000))
                    .addAllShortNames(List.of("cm", "conf"))
                    .addSelectableFields("metadata.name"))
            .build();
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  @Test
  void table_equalsKubectl() {
    assertThat(gateway.run("types")).isZero();
    assertThat(gateway.stdout())
        .isEqualTo(
            """
            NAME          SHORTNAMES   APIVERSION   NAMESPACED   KIND
            configmaps    cm,conf      v1           true         ConfigMap
            nodes                      v1           false        Node
            deployments   deploy       apps/v1      true         Deployment
            """);
    assertThat(gateway.stderr())
        .isEqualTo(
            "watchgate: not up to date: configmaps, nodes; 'watchgate types -o wide' says why\n");
  }

  @Test
  void wide_hasCacheColumns() {
    assertThat(gateway.run("types", "-o", "wide")).isZero();
    assertThat(gateway.stdout())
        .isEqualTo(
            """
            NAME          SHORTNAMES   APIVERSION   NAMESPACED   KIND         OBJECTS   STALENESS   ERROR              FIELDS
            configmaps    cm,conf      v1           true         ConfigMap    7         150s                           metadata.name
            nodes                      v1           false        Node         -         -           no\\u001b[31mdice
            deployments   deploy       apps/v1      true         Deployment   -         -
            """);
  }

  @Test
  void name_isAcceptedByWatch() {
    assertThat(gateway.run("types", "-o", "name")).isZero();
    assertThat(gateway.stdout()).isEqualTo("configmaps\nnodes\ndeployments.apps\n");
  }

  @Test
  void json_isArray() {
    assertThat(gateway.run("types", "-o", "json")).isZero();
    String printed = gateway.stdout();
    assertThat(JsonParser.parseString(printed).getAsJsonArray()).hasSize(3);
    assertThat(printed)
        .startsWith(
            "[\n"
                + "{\"group\":\"\",\"version\":\"v1\",\"resource\":\"configmaps\",\"kind\":\"ConfigMap\",\"namespaced\":true,"
                + "\"shortNames\":[\"cm\",\"conf\"],\"selectableFields\":[\"metadata.name\"],\"synced\":true,\"objects\":7,")
        .contains("\"staleness\":\"150.005s\"", "\"error\":\"no");
  }

  @Test
  void refusal_isReported() {
    gateway.refusals.add(
        ScriptedGateway.refusal(Code.PERMISSION_DENIED, "ACCESS_DENIED", "STOP", "", "not you"));

    assertThat(gateway.run("types")).isEqualTo(1);
    assertThat(gateway.stderr())
        .isEqualTo(
            "watchgate: ACCESS_DENIED: not you\n  see docs/reference/errors.md#access_denied\n");
  }
}
