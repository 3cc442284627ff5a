package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.rpc.Code;
import io.grpc.Status;
import io.watchgate.proto.v1.BodyOmitted;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.PrinterColumn;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.ServedType;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code watchgate list} against a gateway with scripted pages. */
@Timeout(300)
class ListCommandTest {
  private final ScriptedGateway gateway = new ScriptedGateway();

  @AfterEach
  void stop() {
    gateway.close();
  }

  private static ListObjectsResponse page(String next, String... names) {
    ListObjectsResponse.Builder page =
        ListObjectsResponse.newBuilder()
            .setResourceVersion("10")
            .setTotalObjects(3)
            .setNextPageToken(ByteString.copyFromUtf8(next));
    for (String name : names) {
      page.addObjects(ScriptedGateway.event(EventType.EVENT_TYPE_ADDED, name, 3));
    }
    return page.build();
  }

  private void threeObjects() {
    gateway.pages.addAll(List.of(page("p2", "one", "two"), page("p3"), page("", "three")));
  }

  @Test
  void viewOption_setsProjection() {
    threeObjects();
    assertThat(gateway.run("list", "settings", "-o", "name", "--view", "metadata")).isZero();
    assertThat(gateway.lists)
        .extracting(request -> request.getProjection().getView())
        .containsOnly(ObjectView.OBJECT_VIEW_METADATA);

    threeObjects();
    assertThat(gateway.run("list", "settings", "-o", "json", "--include-pointer", "/v")).isZero();
    assertThat(gateway.lists.getLast().getProjection().getIncludePointersList())
        .containsExactly("/v");
  }

  @Test
  void maxStaleness_isRequested() {
    gateway.pages.addAll(List.of(page("", "one"), page("", "one")));

    assertThat(gateway.run("list", "settings", "--max-staleness", "0")).isZero();
    assertThat(gateway.lists.getLast().hasMaxStaleness()).isTrue();
    assertThat(gateway.lists.getLast().getMaxStaleness().getSeconds()).isZero();
    assertThat(gateway.run("list", "settings")).isZero();
    assertThat(gateway.lists.getLast().hasMaxStaleness()).isFalse();
  }

  @Test
  void table_severalPages_oneHeader() {
    threeObjects();

    assertThat(gateway.run("list", "settings", "-n", "ns", "-l", "a=b")).isZero();

    assertThat(gateway.stdout())
        .isEqualTo(
            """
            NAME   AGE
            one    <unknown>
            two    <unknown>
            three   <unknown>
            """);
    assertThat(gateway.stderr()).isEmpty();
    assertThat(gateway.lists)
        .extracting(request -> request.getPageToken().toStringUtf8())
        .containsExactly("", "p2", "p3");
    assertThat(gateway.lists.getFirst().getSelection().getLabelSelector()).isEqualTo("a=b");
    assertThat(gateway.lists.getFirst().getProjection().getView())
        .isEqualTo(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS);
  }

  private void twoTypes() {
    ListObjectsResponse.Builder services = page("").toBuilder().setResourceVersion("11");
    services.addObjects(
        ScriptedGateway.ofKind(
            "Service", ScriptedGateway.event(EventType.EVENT_TYPE_ADDED, "web", 5)));
    gateway.pages.addAll(List.of(page("", "one"), services.build()));
  }

  @Test
  void severalTypes_tableForEach_namesHaveKind() {
    twoTypes();

    assertThat(gateway.run("list", "settings,services", "-n", "ns")).isZero();

    assertThat(gateway.stdout())
        .isEqualTo(
            """
            NAME                      AGE
            setting.example.com/one   <unknown>

            NAME          TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)     AGE
            service/web   <unknown>   <unknown>    <unknown>     <unknown>   <unknown>
            """);
    assertThat(gateway.stderr()).isEmpty();
  }

  @Test
  void severalTypes_jsonIsOneListWithoutVersion() {
    twoTypes();

    assertThat(gateway.run("list", "settings,services", "-o", "json")).isZero();

    assertThat(gateway.stdout())
        .isEqualTo(
            """
            {"apiVersion":"v1","kind":"List","items":[
            {"kind":"Setting","apiVersion":"example.com/v1","metadata":{"name":"one"},"v":3},
            {"kind":"Service","apiVersion":"v1","metadata":{"name":"web"},"v":5}
            ],"metadata":{"annotations":{"watchgate.io/staleness":"0.000s"}}}
            """);
  }

  @Test
  void severalTypes_nothingMatches_isSaidOnce() {
    gateway.pages.addAll(List.of(page(""), page("")));

    assertThat(gateway.run("list", "settings,services")).isZero();
    assertThat(gateway.stderr()).isEqualTo("watchgate: nothing matches\n");
  }

  @Test
  void json_isOneListOfObjectBytes() {
    threeObjects();

    assertThat(gateway.run("list", "settings", "-o", "json")).isZero();

    String object =
        "{\"kind\":\"Setting\",\"apiVersion\":\"example.com/v1\",\"metadata\":{\"name\":\"%s\"},\"v\":3}";
    assertThat(gateway.stdout())
        .isEqualTo(
            "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n"
                + object.formatted("one")
                + ",\n"
                + object.formatted("two")
                + ",\n"
                + object.formatted("three")
                + "\n],\"metadata\":{\"resourceVersion\":\"10\",\"annotations\":{"
                + "\"watchgate.io/staleness\":\"0.000s\"}}}\n");
    assertThat(gateway.lists.getFirst().getProjection().getView())
        .isEqualTo(ObjectView.OBJECT_VIEW_FULL);
  }

  @Test
  void json_noObjects_isEmptyList() {
    gateway.pages.add(page(""));

    assertThat(gateway.run("list", "settings", "-o", "json")).isZero();
    assertThat(gateway.stdout())
        .isEqualTo(
            """
            {"apiVersion":"v1","kind":"List","items":[
            ],"metadata":{"resourceVersion":"10","annotations":{"watchgate.io/staleness":"0.000s"}}}
            """);
    assertThat(gateway.stderr()).isEqualTo("watchgate: nothing matches\n");
  }

  @Test
  void yamlNameAndJsonpath_printEachObject() {
    gateway.pages.addAll(List.of(page("", "one"), page("", "one"), page("", "one")));

    assertThat(gateway.run("list", "settings", "-o", "yaml")).isZero();
    assertThat(gateway.stdout())
        .isEqualTo(
            """
            ---
            kind: Setting
            apiVersion: example.com/v1
            metadata:
              name: one
            v: 3
            """);
    assertThat(gateway.run("list", "settings", "-o", "name")).isZero();
    assertThat(gateway.stdout()).isEqualTo("setting.example.com/one\n");
    assertThat(gateway.run("list", "settings", "-o", "jsonpath={.metadata.name}={.v}")).isZero();
    assertThat(gateway.stdout()).isEqualTo("one=3\n");
  }

  @Test
  void limit_requestsOnePage_reportsTotal() {
    threeObjects();

    assertThat(gateway.run("list", "settings", "--limit", "2", "-o", "name")).isZero();
    assertThat(gateway.stdout()).hasLineCount(2);
    assertThat(gateway.stderr()).contains("2 of 3 objects", "--limit");
    assertThat(gateway.lists).hasSize(1);
    assertThat(gateway.lists.getFirst().getPageSize()).isEqualTo(2);
  }

  @Test
  void name_becomesFieldSelector_missingObjectFails() {
    gateway.pages.addAll(List.of(page("", "web"), page("")));

    assertThat(gateway.run("list", "settings/web", "--field-selector", "a=b")).isZero();
    assertThat(gateway.lists.getFirst().getSelection().getFieldSelector())
        .isEqualTo("a=b,metadata.name=web");
    assertThat(gateway.run("list", "settings", "w,e=b")).isEqualTo(1);
    assertThat(gateway.lists.getLast().getSelection().getFieldSelector())
        .isEqualTo("metadata.name=w\\,e\\=b");
    assertThat(gateway.stderr())
        .isEqualTo("watchgate: there is no object 'w,e=b' of type settings\n");
  }

  @Test
  void gatewayStarting_requestIsRetried() {
    gateway.pages.add(page("", "one"));
    for (int i = 0; i < 2; i++) {
      gateway.refusals.add(
          ScriptedGateway.refusal(Code.UNAVAILABLE, "STARTING", "RESUME", "", "loading"));
    }

    assertThat(gateway.run("list", "settings", "-o", "name")).isZero();
    assertThat(gateway.stdout()).isEqualTo("setting.example.com/one\n");
    assertThat(gateway.stderr())
        .isEqualTo(
            """
            watchgate: waiting: STARTING: loading; retrying for up to 30 s, Ctrl-C stops
              see docs/reference/errors.md#starting
            """);
  }

  @Test
  void pageExpired_errorSaysIncomplete() {
    gateway.refusals.add(
        ScriptedGateway.refusal(Code.OUT_OF_RANGE, "PAGE_EXPIRED", "RESTART", "", "too old"));

    assertThat(gateway.run("list", "settings")).isEqualTo(1);
    assertThat(gateway.stderr()).contains("PAGE_EXPIRED: too old", "not complete; run this again");
  }

  @Test
  void omittedBody_isReportedAndIdentified() {
    gateway.pages.add(
        page("", "one").toBuilder()
            .addObjects(
                ScriptedGateway.event(EventType.EVENT_TYPE_ADDED, "big", 4).toBuilder()
                    .clearObject()
                    .setOmitted(BodyOmitted.newBuilder().setSize(5_000_000)))
            .build());

    assertThat(gateway.run("list", "settings", "-o", "name")).isZero();
    assertThat(gateway.stdout()).isEqualTo("setting.example.com/one\nsetting.example.com/big\n");
    assertThat(gateway.stderr()).contains("ns/big has 5000000 bytes");
  }

  @Test
  void invalidSelector_errorPointsAtColumn() {
    gateway.refusals.add(
        ScriptedGateway.refusal(
            Code.INVALID_ARGUMENT,
            "SELECTOR_INVALID",
            "STOP",
            "selection.label_selector",
            "column 7: found ',', expected a value"));

    assertThat(gateway.run("list", "settings", "-l", "app=a,,b=c")).isEqualTo(1);
    assertThat(gateway.stderr())
        .isEqualTo(
            """
            watchgate: SELECTOR_INVALID: -l, column 7: found ',', expected a value
              app=a,,b=c
                    ^
              see docs/reference/errors.md#selector_invalid
            """);
  }

  @Test
  void gatewayUnreachable_errorNamesAddress() {
    gateway.close();

    assertThat(gateway.run("list", "settings")).isEqualTo(1);
    assertThat(gateway.stderr())
        .contains("cannot ask the gateway at " + gateway.address(), "refused", "watchgate serve");
  }

  @Test
  void upstreamForbidden_failsWithAdministratorHint() {
    gateway.refusals.add(
        ScriptedGateway.refusal(
            Code.UNAVAILABLE, "UPSTREAM_FORBIDDEN", "RESUME", "", "it may not list settings"));

    assertThat(gateway.run("list", "settings")).isEqualTo(1);
    assertThat(gateway.stderr())
        .isEqualTo(
            """
            watchgate: UPSTREAM_FORBIDDEN: it may not list settings
              an administrator of the cluster must grant this to the gateway; run this again then
              see docs/reference/errors.md#upstream_forbidden
            """);
    assertThat(gateway.lists).hasSize(1);
  }

  @Test
  void proxyError_requestIsRetried() {
    gateway.refusals.add(Status.UNIMPLEMENTED.asRuntimeException());
    gateway.refusals.add(Status.PERMISSION_DENIED.asRuntimeException());
    threeObjects();

    assertThat(gateway.run("list", "settings", "-o", "name")).isZero();
    assertThat(gateway.stdout()).hasLineCount(3);
    assertThat(gateway.stderr()).isEmpty();
  }

  @Test
  void permanentProxyErrors_failWithAddress() {
    for (int i = 0; i < 5; i++) {
      gateway.refusals.add(Status.UNIMPLEMENTED.withDescription("404").asRuntimeException());
    }

    assertThat(gateway.run("list", "settings")).isEqualTo(1);
    assertThat(gateway.stderr())
        .startsWith("watchgate: cannot ask the gateway at " + gateway.address())
        .contains("UNIMPLEMENTED: no Watchgate has answered there", "UNIMPLEMENTED, 404")
        .contains("Check host and port", "--server");
  }

  @Test
  void missingObject_nameIsType_adviceIsToWriteACommaBetween() {
    gateway.types =
        ListResourceTypesResponse.newBuilder()
            .addTypes(
                ServedType.newBuilder()
                    .setResourceType(ResourceType.newBuilder().setResource("services"))
                    .addShortNames("svc"))
            .build();
    gateway.pages.addAll(List.of(page(""), page("")));

    for (String name : List.of("services", "svc")) {
      assertThat(gateway.run("get", "settings", name)).isEqualTo(1);
      assertThat(gateway.stderr())
          .isEqualTo(
              "watchgate: there is no object '%1$s' of type settings; for two types: settings,%1$s\n"
                  .formatted(name));
    }
  }

  @Test
  void missingObject_errorNamesNamespacesAndSelectors() {
    gateway.pages.addAll(List.of(page(""), page("", "shop"), page(""), page(""), page("")));

    assertThat(gateway.run("get", "settings/nope", "-n", "shop")).isEqualTo(1);
    assertThat(gateway.stderr())
        .isEqualTo("watchgate: there is no object 'nope' of type settings in namespace shop\n");
    assertThat(gateway.run("get", "settings", "nope", "-n", "a,b", "-l", "x=y")).isEqualTo(1);
    assertThat(gateway.stderr())
        .isEqualTo(
            "watchgate: there is no object 'nope' of type settings in the namespaces a, b that the"
                + " selectors match: there are no namespaces 'a', 'b'\n");
  }

  @Test
  void severalTypes_nameIsMissingInOne_printsOtherAndFails() {
    ListObjectsResponse.Builder services = page("").toBuilder();
    services.addObjects(
        ScriptedGateway.ofKind(
            "Service", ScriptedGateway.event(EventType.EVENT_TYPE_ADDED, "web", 5)));
    gateway.pages.addAll(List.of(page(""), services.build()));

    assertThat(gateway.run("get", "settings,services", "web", "-o", "name")).isEqualTo(1);
    assertThat(gateway.stdout()).isEqualTo("service/web\n");
    assertThat(gateway.stderr())
        .isEqualTo("watchgate: there is no object 'web' of type settings\n");
  }

  @Test
  void severalTypes_nameIsMissingInAll_errorForEach() {
    gateway.pages.addAll(List.of(page(""), page("")));

    assertThat(gateway.run("get", "settings,services", "web")).isEqualTo(1);
    assertThat(gateway.stderr())
        .isEqualTo(
            """
            watchgate: there is no object 'web' of type settings
            watchgate: there is no object 'web' of type services
            """);
  }

  @Test
  void severalTypes_oneIsRefused_printsNothing() {
    gateway.pages.add(page("p2", "one"));
    gateway.refusalsAfter(
        1,
        ScriptedGateway.refusal(
            Code.NOT_FOUND,
            "TYPE_UNKNOWN",
            "STOP",
            "selection.resource_type",
            "the apiserver knows no resource type \"nope\"."));

    assertThat(gateway.run("list", "settings,nope")).isEqualTo(1);
    assertThat(gateway.stdout()).isEmpty();
    assertThat(gateway.stderr()).contains("TYPE_UNKNOWN", "\"nope\"");
  }

  @Test
  void severalNamespaces_oneIsMissing_saysSo() {
    gateway.pages.addAll(List.of(page("", "one"), page("")));

    assertThat(gateway.run("list", "settings", "-n", "ns", "-n", "shpo", "-o", "name")).isZero();
    assertThat(gateway.stdout()).isEqualTo("setting.example.com/one\n");
    assertThat(gateway.stderr()).isEqualTo("watchgate: there is no namespace 'shpo'\n");
    assertThat(gateway.lists)
        .as("namespaces that have objects are not looked up")
        .extracting(request -> request.getSelection().getFieldSelector())
        .containsExactly("", "metadata.name=shpo");
  }

  @Test
  void invalidPointer_errorNamesOption() {
    gateway.refusals.add(
        ScriptedGateway.refusal(
            Code.INVALID_ARGUMENT,
            "VALUE_INVALID",
            "STOP",
            "projection.include_pointers[0]",
            "projection.include_pointers[0] has to begin with /. Name a part."));

    assertThat(gateway.run("list", "settings", "-o", "json", "--include-pointer", "v"))
        .isEqualTo(1);
    assertThat(gateway.stderr())
        .startsWith(
            "watchgate: VALUE_INVALID: --include-pointer has to begin with /. Name a part.\n");
  }

  private void definedColumns() {
    gateway.types =
        ListResourceTypesResponse.newBuilder()
            .addTypes(
                ServedType.newBuilder()
                    .setResourceType(
                        ResourceType.newBuilder().setGroup("other.com").setResource("settings"))
                    .setKind("Setting"))
            .addTypes(
                ServedType.newBuilder()
                    .setResourceType(
                        ResourceType.newBuilder().setGroup("example.com").setResource("settings"))
                    .setKind("Setting")
                    .addPrinterColumns(
                        PrinterColumn.newBuilder()
                            .setName("Value")
                            .setType("integer")
                            .setJsonPath(".v"))
                    .addPrinterColumns(
                        PrinterColumn.newBuilder()
                            .setName("Again")
                            .setType("string")
                            .setPriority(1)
                            .setJsonPath(".v")))
            .build();
  }

  private static ServedType served(String version, String column) {
    return ServedType.newBuilder()
        .setResourceType(
            ResourceType.newBuilder()
                .setGroup("example.com")
                .setVersion(version)
                .setResource("settings"))
        .setKind("Setting")
        .addPrinterColumns(
            PrinterColumn.newBuilder().setName(column).setType("integer").setJsonPath(".v"))
        .build();
  }

  private ListObjectsResponse created() {
    return ListObjectsResponse.newBuilder()
        .setResourceVersion("10")
        .addObjects(
            ScriptedGateway.event(EventType.EVENT_TYPE_ADDED, "one", 3).toBuilder()
                .setObject(
                    ByteString.copyFromUtf8(
                        "{\"kind\":\"Setting\",\"apiVersion\":\"example.com/v1\",\"metadata\":{"
                            + "\"name\":\"one\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},"
                            + "\"v\":3}")))
        .build();
  }

  @Test
  void customResource_columnsOfItsVersion() {
    gateway.types =
        ListResourceTypesResponse.newBuilder()
            .addTypes(served("v2", "Newer"))
            .addTypes(served("v1", "Value"))
            .build();
    gateway.pages.add(created());

    assertThat(gateway.run("list", "settings", "-n", "ns")).isZero();
    assertThat(gateway.stdout()).isEqualTo("NAME   VALUE\none    3\n");
  }

  @Test
  void customResource_columnsOfItsDefinition() {
    definedColumns();
    gateway.pages.addAll(List.of(created(), created()));

    assertThat(gateway.run("list", "settings", "-n", "ns")).isZero();
    assertThat(gateway.stdout()).isEqualTo("NAME   VALUE\none    3\n");
    assertThat(gateway.run("list", "settings", "-n", "ns", "-o", "wide")).isZero();
    assertThat(gateway.stdout()).isEqualTo("NAME   VALUE   AGAIN\none    3       3\n");
  }

  @Test
  void deniedForWholeCluster_adviceNamesNamespace() {
    for (int i = 0; i < 2; i++) {
      gateway.refusals.add(
          ScriptedGateway.refusal(
              Code.PERMISSION_DENIED,
              "ACCESS_DENIED",
              "STOP",
              "",
              "the user may not list settings in the whole cluster"));
    }

    assertThat(gateway.run("list", "settings", "-n", "a")).isEqualTo(1);
    assertThat(gateway.stderr()).doesNotContain("-n NAMESPACE");
    assertThat(gateway.run("list", "settings")).isEqualTo(1);
    assertThat(gateway.stderr()).contains("\n  -n NAMESPACE asks for one namespace only");
  }

  @Test
  void columnsUnavailable_printsNameAndAge() {
    gateway.typesRefusal =
        ScriptedGateway.refusal(Code.PERMISSION_DENIED, "ACCESS_DENIED", "STOP", "", "not you");
    gateway.pages.add(created());

    assertThat(gateway.run("list", "settings", "-n", "ns")).isZero();
    assertThat(gateway.stdout()).isEqualTo("NAME   AGE\none    10m\n");
    assertThat(gateway.stderr()).isEmpty();
  }

  private static ListObjectsResponse valued(Object... namesAndValues) {
    ListObjectsResponse.Builder page = ListObjectsResponse.newBuilder().setResourceVersion("10");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      page.addObjects(
          ScriptedGateway.event(EventType.EVENT_TYPE_ADDED, namesAndValues[i].toString(), 3)
              .toBuilder()
              .setObject(
                  ByteString.copyFromUtf8(
                      "{\"kind\":\"Setting\",\"apiVersion\":\"example.com/v1\",\"metadata\":{\"name\":\"%s\"},\"v\":%s}"
                          .formatted(namesAndValues[i], namesAndValues[i + 1]))));
    }
    return page.build();
  }

  @Test
  void sortBy_missingFirst_thenNumbers_thenTexts() {
    gateway.pages.add(
        valued("ten", 10, "text", "\"b\"", "nine", 9.5, "none", "null", "first", "\"a\""));

    assertThat(gateway.run("list", "settings", "-o", "name", "--sort-by", "{.v}")).isZero();
    assertThat(gateway.stdout().lines().map(line -> line.replaceAll(".*/", "")))
        .containsExactly("none", "nine", "ten", "first", "text");
    assertThat(gateway.stderr()).isEmpty();
  }

  @Test
  void paths_withoutFirstDot_areAccepted() {
    gateway.pages.add(valued("two", 2, "one", 1));

    assertThat(
            gateway.run(
                "list", "settings", "-o", "custom-columns=N:metadata.name", "--sort-by", "v"))
        .as(gateway.stderr())
        .isZero();
    assertThat(gateway.stdout()).isEqualTo("N\none\ntwo\n");
  }

  @Test
  void sortBy_noObjectHasValue_warns() {
    gateway.pages.add(valued("two", 2, "one", 1));

    assertThat(gateway.run("list", "settings", "-o", "name", "--sort-by", ".nope")).isZero();
    assertThat(gateway.stdout()).hasLineCount(2);
    assertThat(gateway.stderr())
        .isEqualTo(
            "watchgate: --sort-by .nope: no object has a value at this path, so the order is the"
                + " gateway's\n");
  }

  @Test
  void sortBy_withLimit_isRefused() {
    assertThat(gateway.run("list", "settings", "--sort-by", ".v", "--limit", "2")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("--sort-by and --limit exclude each other");
    assertThat(gateway.run("list", "settings", "--sort-by", ".v[")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("--sort-by", "column 4");
  }

  @Test
  void get_isAnotherNameOfList() {
    threeObjects();

    assertThat(gateway.run("get", "settings", "-n", "ns", "--no-headers")).isZero();
    assertThat(gateway.stdout())
        .isEqualTo(
            """
            one   <unknown>
            two   <unknown>
            three   <unknown>
            """);
  }

  @Test
  void customColumns_printTheirPaths() {
    threeObjects();

    assertThat(
            gateway.run("list", "settings", "-o", "custom-columns=NAME:.metadata.name,V:{.v},W:.w"))
        .isZero();
    assertThat(gateway.stdout())
        .isEqualTo(
            """
            NAME   V     W
            one    3     <none>
            two    3     <none>
            three   3     <none>
            """);
  }

  @Test
  void customColumns_withoutPath_areRefused() {
    assertThat(gateway.run("list", "settings", "-o", "custom-columns=NAME")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("'NAME' is not a column; expected HEADER:PATH");
    assertThat(gateway.run("list", "settings", "-o", "custom-columns=A:.a[")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("custom-columns, A, column 4");
  }

  @Test
  void tableOptions_withOtherFormat_areRefused() {
    assertThat(gateway.run("list", "settings", "-o", "json", "--show-labels")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("--show-labels is for tables");
    assertThat(gateway.run("list", "settings", "-o", "yaml", "-L", "app")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("-L is for tables");
  }

  @Test
  void nothingMatches_namespaceIsMissing_saysSo() {
    gateway.pages.addAll(List.of(page(""), page("")));

    assertThat(gateway.run("list", "settings", "-n", "shpo")).isZero();
    assertThat(gateway.stderr())
        .isEqualTo("watchgate: nothing matches: there is no namespace 'shpo'\n");
    assertThat(gateway.lists.getLast().getSelection().getFieldSelector())
        .isEqualTo("metadata.name=shpo");
  }

  @Test
  void nothingMatches_namespacesAreNotReadable_saysNoMore() {
    gateway.pages.add(page(""));
    gateway.refusalsAfter(
        1,
        ScriptedGateway.refusal(
            Code.PERMISSION_DENIED, "ACCESS_DENIED", "STOP", "", "may not list namespaces"));

    assertThat(gateway.run("list", "settings", "-n", "shop")).isZero();
    assertThat(gateway.stderr()).isEqualTo("watchgate: nothing matches\n");
  }
}
