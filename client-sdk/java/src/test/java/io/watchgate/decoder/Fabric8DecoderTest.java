package io.watchgate.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.watchgate.informer.Decoder;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class Fabric8DecoderTest {
  private final KubernetesSerialization theirs = new KubernetesSerialization();

  @Test
  void pod_equalsTheOneOfTheClient() throws Exception {
    Pod pod = Fabric8Decoder.of(Pod.class).decode(PodJson.bytes());
    assertThat(pod).isEqualTo(theirs.unmarshal(PodJson.bytes().newInput(), Pod.class));
    assertThat(theirs.asJson(pod))
        .isEqualTo(theirs.asJson(theirs.unmarshal(PodJson.bytes().newInput(), Pod.class)));
  }

  @Test
  void quantitiesPortsTimesAndLargeNumbers_arePreserved() throws Exception {
    Pod pod = Fabric8Decoder.of(Pod.class).decode(PodJson.bytes());
    Container container = pod.getSpec().getContainers().get(0);
    assertThat(container.getResources().getRequests())
        .containsEntry("cpu", Quantity.parse("250m"))
        .containsEntry("memory", Quantity.parse("64Mi"));
    assertThat(container.getLivenessProbe().getHttpGet().getPort())
        .isEqualTo(new IntOrString(8080));
    assertThat(container.getReadinessProbe().getHttpGet().getPort())
        .isEqualTo(new IntOrString("http"));
    assertThat(pod.getMetadata().getCreationTimestamp()).isEqualTo("2026-03-01T12:00:00Z");
    assertThat(pod.getMetadata().getGeneration()).isEqualTo(PodJson.GENERATION);
    assertThat(pod.getMetadata().getManagedFields()).hasSize(1);
  }

  @Test
  void unknownField_isAdditionalProperty() throws Exception {
    Pod pod = Fabric8Decoder.of(Pod.class).decode(PodJson.bytes());
    assertThat(pod.getSpec().getAdditionalProperties().get(PodJson.UNKNOWN))
        .isEqualTo(Map.of("limit", new BigInteger("12345678901234567890"), "ratio", 0.1));
  }

  @Test
  void resourceWithoutModel_isGeneric() throws Exception {
    Decoder<GenericKubernetesResource> decoder = Fabric8Decoder.of(GenericKubernetesResource.class);
    GenericKubernetesResource widget =
        decoder.decode(
            ByteString.copyFromUtf8(
                """
                {"apiVersion":"example.test/v1","kind":"Widget","metadata":{"name":"one"},
                 "spec":{"size":3}}
                """));
    assertThat(widget.getKind()).isEqualTo("Widget");
    assertThat(widget.<Integer>get("spec", "size")).isEqualTo(3);
  }

  @Test
  void equalStringsOfTwoPods_areShared() throws Exception {
    Decoder<Pod> decoder = Fabric8Decoder.of(Pod.class);
    Pod one = decoder.decode(PodJson.bytes());
    Pod other = decoder.decode(PodJson.bytes());
    assertThat(other.getSpec().getNodeName()).isSameAs(one.getSpec().getNodeName());
    assertThat(other.getMetadata().getLabels().get("app"))
        .isSameAs(one.getMetadata().getLabels().get("app"));
  }

  @Test
  void decoder_isThreadSafe() throws Exception {
    Decoder<Pod> decoder = Fabric8Decoder.of(Pod.class);
    Pod expected = decoder.decode(PodJson.bytes());
    List<Pod> decoded =
        IntStream.range(0, 1_000)
            .parallel()
            .mapToObj(
                i -> {
                  try {
                    return decoder.decode(PodJson.bytes());
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                })
            .toList();
    assertThat(decoded).allMatch(expected::equals);
  }
}
