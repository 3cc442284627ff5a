package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.pem.PemSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InClusterConfigTest {
  private static final HeldCertificate CA = new HeldCertificate.Builder().build();
  private static final Map<String, String> POD =
      Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1", "KUBERNETES_SERVICE_PORT", "443");
  @TempDir private Path folder;

  @BeforeEach
  void aServiceAccount() throws IOException {
    Files.writeString(folder.resolve("token"), "secret-token\n");
    Files.writeString(folder.resolve("ca.crt"), CA.certificatePem());
    Files.writeString(folder.resolve("namespace"), "shop\n");
  }

  @Test
  void pod_findsItsCluster() throws Exception {
    ClientConfig access = InClusterConfig.load(POD, folder);
    assertThat(access.serverUrl()).isEqualTo("https://10.0.0.1/");
    assertThat(access.namespace()).isEqualTo("shop");
    assertThat(access.tls().authorities())
        .isEqualTo(new PemSource.InFile(folder.resolve("ca.crt")));
    assertThat(access.credentials())
        .isEqualTo(new UserCredentials.TokenFile(folder.resolve("token")));
  }

  @Test
  void host_mayBeIpv6() throws Exception {
    Map<String, String> environment =
        Map.of("KUBERNETES_SERVICE_HOST", "fd00::1", "KUBERNETES_SERVICE_PORT", "6443");
    assertThat(InClusterConfig.load(environment, folder).serverUrl())
        .isEqualTo("https://[fd00::1]:6443/");
  }

  @Test
  void outsideOfAPod_errorNamesKubeconfig() {
    assertThatThrownBy(() -> InClusterConfig.load(Map.of(), folder))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("this is not a pod")
        .hasMessageContaining("--kubeconfig");
    assertThatThrownBy(
            () ->
                InClusterConfig.load(
                    Map.of("KUBERNETES_SERVICE_HOST", "a", "KUBERNETES_SERVICE_PORT", "x"), folder))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("not a host and a port");
  }

  @Test
  void missingFile_isNamed() throws IOException {
    Files.delete(folder.resolve("namespace")); // not needed
    Files.writeString(folder.resolve("ca.crt"), "nonsense");
    assertThatThrownBy(() -> InClusterConfig.load(POD, folder))
        .hasMessage("service account: " + folder.resolve("ca.crt") + " holds no PEM certificate");
    Files.delete(folder.resolve("ca.crt"));
    assertThatThrownBy(() -> InClusterConfig.load(POD, folder))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("ca.crt: there is no such file");
    Files.delete(folder.resolve("token"));
    assertThatThrownBy(() -> InClusterConfig.load(POD, folder))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("token: there is no such file; is automountServiceAccountToken off");
  }
}
