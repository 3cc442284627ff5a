package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the discovery documents. */
final class DiscoveryDocumentTest {
  private static final String AGGREGATED =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  private static final String VERBS =
      "[\"create\",\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"update\",\"watch\"]";

  private final TestCatalog catalog = new TestCatalog();
  private final TestServer server = new TestServer(catalog, null, TestServer.SETTINGS);

  @AfterEach
  void close() {
    server.close();
  }

  private String get(String path) {
    HttpResponse<String> answer = server.get(path);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    return answer.body();
  }

  @Test
  void coreGroup_listsVersions() {
    assertThat(get("/api"))
        .isEqualTo(
            "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\",\"serverAddress\":\"127.0.0.1:%d\"}]}\n"
                .formatted(server.port()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/apis", "/apis/"})
  void apis_listsOtherGroups(String path) {
    assertThat(get(path))
        .startsWith(
            "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[{\"name\":\"apps\",")
        .contains(
            "{\"name\":\"x.io\",\"versions\":[{\"groupVersion\":\"x.io/v1\",\"version\":\"v1\"}],\"preferredVersion\":{\"groupVersion\":\"x.io/v1\",\"version\":\"v1\"}}");
  }

  @Test
  void group_hasItsOwnDocument() {
    assertThat(get("/apis/apps"))
        .isEqualTo(
            "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"apps\",\"versions\":[{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"}],\"preferredVersion\":{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"}}\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /api/v1      | {"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods",
          /api/v1/     | {"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":VERBS,"shortNames":["po"],"categories":["all"]}
          /api/v1      | {"name":"pods/binding","singularName":"","namespaced":true,"kind":"Binding","verbs":["create"]}
          /api/v1      | {"name":"pods/status","singularName":"","namespaced":true,"kind":"Pod","verbs":["get","patch","update"]}
          /api/v1      | {"name":"nodes","singularName":"node","namespaced":false,"kind":"Node","verbs":VERBS,"shortNames":["no"]}
          /apis/apps/v1 | {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[
          /apis/apps/v1 | {"name":"deployments/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["patch","update"]}
          """)
  void version_listsResources(String path, String part) {
    assertThat(get(path)).contains(part.replace("VERBS", VERBS));
  }

  @Test
  void aggregatedDiscovery_isServedOnRequest() {
    HttpResponse<String> answer =
        server.get("/api", "Accept", AGGREGATED + "," + "application/json");
    assertThat(answer.headers().firstValue("Content-Type")).contains(AGGREGATED);
    assertThat(answer.body())
        .startsWith(
            "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",\"metadata\":{},\"items\":[{\"metadata\":{},\"versions\":[{\"version\":\"v1\",\"resources\":[")
        .contains(
            "{\"resource\":\"pods\",\"responseKind\":{\"group\":\"\",\"version\":\"\",\"kind\":\"Pod\"},\"scope\":\"Namespaced\",\"singularResource\":\"pod\",\"verbs\":"
                + VERBS
                + ",\"shortNames\":[\"po\"],\"categories\":[\"all\"],\"subresources\":[{\"subresource\":\"binding\",");
    assertThat(server.get("/apis", "Accept", AGGREGATED).body())
        .contains(
            "{\"metadata\":{\"name\":\"x.io\"},\"versions\":[{\"version\":\"v1\",\"resources\":[{\"resource\":\"widgets\",\"responseKind\":{\"group\":\"x.io\",\"version\":\"v1\",\"kind\":\"Widget\"},\"scope\":\"Namespaced\",\"singularResource\":\"widget\",")
        .contains(
            "{\"subresource\":\"scale\",\"responseKind\":{\"group\":\"autoscaling\",\"version\":\"v1\",\"kind\":\"Scale\"},\"verbs\":[\"patch\",\"update\"]}")
        .contains("\"freshness\":\"Current\"");
  }

  @Test
  void olderDiscovery_isServedIfPreferred() {
    assertThat(server.get("/api", "Accept", "application/json," + AGGREGATED).body())
        .contains("\"kind\":\"APIVersions\"");
    assertThat(
            server.get("/api", "Accept", AGGREGATED.replace("v=v2", "v=v2beta1") + ",*/*").body())
        .contains("\"kind\":\"APIVersions\"");
  }

  @Test
  void removedType_isNotListed() {
    catalog.remove(TestCatalog.WIDGETS);
    assertThat(get("/apis")).doesNotContain("x.io");
    assertThat(server.get("/apis/x.io/v1").statusCode()).isEqualTo(404);
  }

  @Test
  void version_isKnownToClientsAndNamesWatchgate() {
    JsonObject version = JsonParser.parseString(get("/version")).getAsJsonObject();
    assertThat(version.get("major").getAsString()).isEqualTo("1");
    assertThat(version.get("minor").getAsString()).isEqualTo("36");
    assertThat(version.get("gitVersion").getAsString()).matches("v1\\.36\\.\\d+\\+watchgate");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/healthz", "/livez", "/readyz", "/livez?verbose"})
  void healthEndpoints_answerOk(String path) {
    assertThat(server.get(path).body()).isEqualTo("ok");
  }

  @Test
  void root_listsPaths() {
    assertThat(get("/")).contains("\"/api/v1\"", "\"/apis/apps/v1\"", "\"/version\"");
  }

  /** kubectl checks here whether it has to validate objects itself. */
  @ParameterizedTest
  @CsvSource({
    "api/v1,/api/v1/namespaces/{namespace}/pods/{name}",
    "api/v1,/api/v1/nodes/{name}",
    "apis/x.io/v1,/apis/x.io/v1/namespaces/{namespace}/widgets/{name}"
  })
  void openApiV3_hasFieldValidationForEveryKind(String version, String path) {
    JsonObject index = JsonParser.parseString(get("/openapi/v3")).getAsJsonObject();
    String url =
        index
            .getAsJsonObject("paths")
            .getAsJsonObject(version)
            .get("serverRelativeURL")
            .getAsString();
    JsonObject document = JsonParser.parseString(get(url)).getAsJsonObject();
    JsonObject patch =
        document.getAsJsonObject("paths").getAsJsonObject(path).getAsJsonObject("patch");
    assertThat(patch.get("parameters").toString())
        .contains("{\"name\":\"fieldValidation\",\"in\":\"query\"");
    assertThat(patch.has("x-kubernetes-group-version-kind")).isTrue();
  }

  @Test
  void openApiV2_hasKindsAsJsonOnly() {
    assertThat(get("/openapi/v2"))
        .startsWith("{\"swagger\":\"2.0\",")
        .contains("\"kind\":\"Widget\"");
    String protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    assertThat(server.get("/openapi/v2", "Accept", protobuf).statusCode()).isEqualTo(406);
  }
}
