package io.watchgate.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WatchParametersTest {
  @Test
  void parameters_becomeARequest() throws ApiException {
    ListAndWatchRequest request =
        WatchParameters.parse(
            "resource=apps/v1/deployments&namespace=a,b&labels=app%20in+(x,y)&fields=a%3Db"
                + "&view=no-managed-fields&client=dash&expired=fail",
            "");
    assertThat(request.getSelection().getResourceType().getGroup()).isEqualTo("apps");
    assertThat(request.getSelection().getResourceType().getVersion()).isEqualTo("v1");
    assertThat(request.getSelection().getResourceType().getResource()).isEqualTo("deployments");
    assertThat(request.getSelection().getNamespacesList()).containsExactly("a", "b");
    assertThat(request.getSelection().getLabelSelector()).isEqualTo("app in (x,y)");
    assertThat(request.getSelection().getFieldSelector()).isEqualTo("a=b");
    assertThat(request.getProjection().getView())
        .isEqualTo(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS);
    assertThat(request.getClientName()).isEqualTo("dash");
    assertThat(request.getDelivery().getExpiredPositionPolicy())
        .isEqualTo(ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL);
    assertThat(request.getStartCase()).isEqualTo(ListAndWatchRequest.StartCase.START_NOT_SET);
  }

  @Test
  void namespaces_areAllOnlyWithoutTheParameter() throws ApiException {
    assertThat(WatchParameters.parse("resource=pods", "").getSelection().getNamespacesList())
        .isEmpty();
    assertThat(
            WatchParameters.parse("resource=pods&namespace=", "")
                .getSelection()
                .getNamespacesList())
        .containsExactly(""); // which is refused later
  }

  @Test
  void lastEventId_isTheToken() throws ApiException {
    byte[] token = {-5, -16, -1, -1};
    String id = Base64.getUrlEncoder().withoutPadding().encodeToString(token);
    assertThat(WatchParameters.parse("resource=pods", id).getResumeToken())
        .isEqualTo(ByteString.copyFrom(token));
    assertThatThrownBy(() -> WatchParameters.parse("resource=pods", "no id"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("last-event-id is not the id");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "token=x",
        "access_token=x",
        "Authorization=x",
        "bearer=x",
        "id_token=x",
        "jwt=x",
        "apikey=x"
      })
  void credentials_areRefusedWithoutTheirValue(String parameter) {
    assertThatThrownBy(() -> WatchParameters.parse("resource=pods&" + parameter + "s3cret", ""))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("URLs are logged")
        .hasMessageNotContaining("s3cret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "resource=pods&",
        "&resource=pods",
        "=",
        "resource=pods&Resource=pods",
        "label=app",
        "resource=pods&labels=a&labels=b",
        "resource=pods&labels=%",
        "resource=pods&view=",
        "resource=",
        "resource=pods,nodes&resource=x",
        "namespace=shop"
      })
  void wrongParameters_areRefused(String query) {
    assertThatThrownBy(() -> WatchParameters.parse(query, "")).isInstanceOf(ApiException.class);
  }
}
