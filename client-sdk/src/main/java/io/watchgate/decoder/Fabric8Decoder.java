package io.watchgate.decoder;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.deser.std.StringDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.watchgate.informer.Decoder;
import java.io.IOException;

/**
 * Decodes to the models of fabric8's client, as that client does: fields that a model has not are
 * its additional properties. Needs {@code io.fabric8:kubernetes-client-api}.
 *
 * <pre>{@code
 * Informer<Pod> pods = Informer.of(client, "pods", Fabric8Decoder.of(Pod.class)).start();
 * Optional<String> phase = pods.snapshot().get("default", "web-0").map(pod -> pod.value().getStatus().getPhase());
 * }</pre>
 *
 * <p>For types without a model there is {@code Fabric8Decoder.of(GenericKubernetesResource.class)}.
 */
public final class Fabric8Decoder {
  private static final ObjectMapper MAPPER = mapper();

  /** One for each class, so that informers may share. */
  private static final ClassValue<Decoder<?>> DECODERS =
      new ClassValue<>() {
        @Override
        protected Decoder<?> computeValue(Class<?> type) {
          return JacksonDecoder.of(MAPPER, type);
        }
      };

  private Fabric8Decoder() {}

  /**
   * The decoder to a model. Thread-safe.
   *
   * @param type {@code Pod}, {@code GenericKubernetesResource}, a class of one's own for a custom
   *     resource
   */
  @SuppressWarnings("unchecked") // it is made of the class
  public static <T> Decoder<T> of(Class<T> type) {
    return (Decoder<T>) DECODERS.get(type);
  }

  /**
   * The same, set up by fabric8 itself: of its default mapper it differs in that equal short texts
   * are one.
   */
  private static ObjectMapper mapper() {
    ObjectMapper mapper = new ObjectMapper();
    mapper.registerModule(
        new SimpleModule("watchgate").addDeserializer(String.class, new SharingDeserializer()));
    KubernetesSerialization unused =
        new KubernetesSerialization(mapper, true); // sets the mapper up
    return mapper;
  }

  private static final class SharingDeserializer extends StdScalarDeserializer<String> {
    private static final long serialVersionUID = 1;

    private final transient SharedStrings strings = new SharedStrings();

    SharingDeserializer() {
      super(String.class);
    }

    @Override
    public String deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return strings.shared(StringDeserializer.instance.deserialize(parser, context));
    }
  }
}
