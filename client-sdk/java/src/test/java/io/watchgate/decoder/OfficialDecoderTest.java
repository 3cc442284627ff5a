package io.watchgate.decoder;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParseException;
import com.google.protobuf.ByteString;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1Secret;
import io.watchgate.informer.Decoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class OfficialDecoderTest {
  private final Decoder<V1Pod> decoder = OfficialDecoder.of(V1Pod.class);

  @Test
  void pod_equalsTheOneOfTheClient() throws Exception {
    V1Pod pod = decoder.decode(PodJson.known());
    V1Pod theirs = theirs(PodJson.known());
    assertThat(pod).isEqualTo(theirs);
    assertThat(JSON.serialize(pod)).isEqualTo(JSON.serialize(theirs));
  }

  /** Field of a newer apiserver: the client itself fails on an object that has one. */
  @Test
  void unknownField_isIgnored() throws Exception {
    assertThatThrownBy(() -> theirs(PodJson.bytes())).hasMessageContaining(PodJson.UNKNOWN);
    assertThat(decoder.decode(PodJson.bytes())).isEqualTo(decoder.decode(PodJson.known()));
  }

  private static V1Pod theirs(ByteString json) {
    return JSON.deserialize(json.toStringUtf8(), V1Pod.class);
  }

  @Test
  void quantitiesPortsTimesAndLargeNumbers_arePreserved() throws Exception {
    V1Pod pod = decoder.decode(PodJson.bytes());
    V1Container container = requireNonNull(pod.getSpec()).getContainers().get(0);
    assertThat(requireNonNull(container.getResources()).getRequests())
        .containsEntry("cpu", new Quantity("250m"))
        .containsEntry("memory", new Quantity("64Mi"));
    assertThat(port(container.getLivenessProbe())).isEqualTo(new IntOrString(8080));
    assertThat(port(container.getReadinessProbe())).isEqualTo(new IntOrString("http"));
    V1ObjectMeta metadata = requireNonNull(pod.getMetadata());
    assertThat(metadata.getCreationTimestamp())
        .isEqualTo(OffsetDateTime.parse("2026-03-01T12:00:00Z"));
    assertThat(metadata.getGeneration()).isEqualTo(PodJson.GENERATION);
  }

  private static IntOrString port(@Nullable V1Probe probe) {
    return requireNonNull(requireNonNull(probe).getHttpGet()).getPort();
  }

  @Test
  void bytesAreDecoded() throws Exception {
    V1Secret secret =
        OfficialDecoder.of(V1Secret.class)
            .decode(ByteString.copyFromUtf8("{\"data\":{\"key\":\"dmFsdWU=\"}}"));
    assertThat(requireNonNull(secret.getData()).get("key"))
        .isEqualTo("value".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void invalidJson_throws() {
    assertThatThrownBy(() -> decoder.decode(ByteString.copyFromUtf8("{\"kind\":")))
        .isInstanceOfAny(JsonParseException.class, IOException.class);
  }

  @Test
  void equalStringsOfTwoPods_areShared() throws Exception {
    V1Pod one = decoder.decode(PodJson.bytes());
    V1Pod other = decoder.decode(PodJson.bytes());
    assertThat(node(other)).isSameAs(node(one));
    assertThat(label(other)).isSameAs(label(one));
  }

  private static @Nullable String node(V1Pod pod) {
    return requireNonNull(pod.getSpec()).getNodeName();
  }

  private static @Nullable String label(V1Pod pod) {
    return requireNonNull(requireNonNull(pod.getMetadata()).getLabels()).get("app");
  }

  @Test
  void decoder_isThreadSafe() throws Exception {
    V1Pod expected = decoder.decode(PodJson.bytes());
    List<V1Pod> decoded =
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
