package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.http.ApiPath.Form;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ApiPathTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      emptyValue = "",
      textBlock =
          """
          /api/v1/pods                                  | ''   | v1 | pods        | ''   | ''    | ''       | PLAIN
          /api/v1/pods/                                 | ''   | v1 | pods        | ''   | ''    | ''       | PLAIN
          /api/v1/nodes/n1                              | ''   | v1 | nodes       | ''   | n1    | ''       | PLAIN
          /api/v1/nodes/n1/status                       | ''   | v1 | nodes       | ''   | n1    | status   | PLAIN
          /api/v1/namespaces/shop/pods                  | ''   | v1 | pods        | shop | ''    | ''       | PLAIN
          /api/v1/namespaces/shop/pods/                 | ''   | v1 | pods        | shop | ''    | ''       | PLAIN
          /api/v1/namespaces/shop/pods/web-1            | ''   | v1 | pods        | shop | web-1 | ''       | PLAIN
          /api/v1/namespaces/shop/pods/web-1/binding    | ''   | v1 | pods        | shop | web-1 | binding  | PLAIN
          /api/v1/namespaces//configmaps                | ''   | v1 | configmaps  | ''   | ''    | ''       | PLAIN
          /api/v1/namespaces                            | ''   | v1 | namespaces  | ''   | ''    | ''       | PLAIN
          /api/v1/namespaces/                           | ''   | v1 | namespaces  | ''   | ''    | ''       | PLAIN
          /api/v1/namespaces/shop                       | ''   | v1 | namespaces  | ''   | shop  | ''       | PLAIN
          /api/v1/namespaces/shop/                      | ''   | v1 | namespaces  | ''   | shop  | ''       | PLAIN
          /api/v1/namespaces/shop/status                | ''   | v1 | namespaces  | ''   | shop  | status   | PLAIN
          /api/v1/namespaces/shop/finalize              | ''   | v1 | namespaces  | ''   | shop  | finalize | PLAIN
          /apis/apps/v1/deployments                     | apps | v1 | deployments | ''   | ''    | ''       | PLAIN
          /apis/apps/v1/namespaces/shop/deployments/web | apps | v1 | deployments | shop | web   | ''       | PLAIN
          /apis/x.io/v1beta1/widgets/w                  | x.io | v1beta1 | widgets | ''  | w     | ''       | PLAIN
          /api/v1/watch/pods                            | ''   | v1 | pods        | ''   | ''    | ''       | LEGACY_WATCH
          /api/v1/watch/namespaces                      | ''   | v1 | namespaces  | ''   | ''    | ''       | LEGACY_WATCH
          /api/v1/watch/namespaces/shop                 | ''   | v1 | namespaces  | ''   | shop  | ''       | LEGACY_WATCH
          /api/v1/watch/namespaces/shop/pods            | ''   | v1 | pods        | shop | ''    | ''       | LEGACY_WATCH
          /api/v1/watch/namespaces/shop/pods/web-1      | ''   | v1 | pods        | shop | web-1 | ''       | LEGACY_WATCH
          /apis/apps/v1/watch/deployments               | apps | v1 | deployments | ''   | ''    | ''       | LEGACY_WATCH
          """)
  void resourcePath_isParsed(
      String path,
      String group,
      String version,
      String resource,
      String namespace,
      String name,
      String subresource,
      Form form) {
    assertThat(ApiPath.parse(path))
        .contains(new ApiPath(group, version, resource, namespace, name, subresource, form));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/api",
        "/api/",
        "/api/v1",
        "/api/v1/",
        "/api/v1/watch",
        "/api/v1/watch/",
        "/apis",
        "/apis/apps",
        "/apis/apps/v1",
        "/apis/apps/v1/",
        "/api/v1/nodes/n1/status/more",
        "/api/v1/namespaces/shop/pods/web-1/proxy/more",
        "/version",
        "/healthz",
        "/openapi/v3/api/v1",
        "/elsewhere/v1/pods"
      })
  void otherPaths_areEmpty(String path) {
    assertThat(ApiPath.parse(path)).isEqualTo(Optional.empty());
  }
}
