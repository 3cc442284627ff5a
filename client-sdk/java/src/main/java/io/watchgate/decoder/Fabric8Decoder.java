package io.watchgate.decoder;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.deser.std.StringDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.watchgate.informer.Decoder;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Decoder to the models of fabric8's client, with the same results as that client: unknown fields
 * become additional properties of the model. Needs {@code io.fabric8:kubernetes-client-api}.
 *
 * <pre>{@code
 * Informer<Pod> pods = Informer.of(client, "pods", Fabric8Decoder.of(Pod.class)).start();
 * Optional<String> phase = pods.snapshot().get("default", "web-0").map(pod -> pod.value().getStatus().getPhase());
 * }</pre>
 *
 * <p>For types without a model use {@code Fabric8Decoder.of(GenericKubernetesResource.class)}.
 */
public final class Fabric8Decoder {
  private static final ObjectMapper MAPPER = mapper();

  /** One decoder for each class, so that informers may share. */
  private static final ClassValue<Decoder<?>> DECODERS =
      new ClassValue<>() {
        @Override
        protected Decoder<?> computeValue(Class<?> type) {
          return decoder(MAPPER.readerFor(type));
        }
      };

  private Fabric8Decoder() {}

  /**
   * Returns the decoder to a model. Thread-safe.
   *
   * @param type {@code Pod}, {@code GenericKubernetesResource}, or the program's class for a custom
   *     resource
   */
  @SuppressWarnings("unchecked") // the decoder was created for this class
  public static <T> Decoder<T> of(Class<T> type) {
    return (Decoder<T>) DECODERS.get(type);
  }

  private static <T> Decoder<T> decoder(ObjectReader reader) {
    return json -> {
      try (JsonParser parser =
          new SharingParser(MAPPER.getFactory().createParser(json.newInput()))) {
        return reader.readValue(parser);
      }
    };
  }

  /**
   * Returns a mapper with fabric8's own configuration. It differs from fabric8's default mapper in
   * two points: equal short strings are shared, and the parser does not cache field names. Managed
   * fields use keys of lists as field names, such as a pod's address. So each object brings new
   * names, and the parser would copy its cache for each.
   */
  private static ObjectMapper mapper() {
    ObjectMapper mapper =
        new ObjectMapper(
            JsonFactory.builder()
                .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .build());
    mapper.registerModule(
        new SimpleModule("watchgate").addDeserializer(String.class, new SharingDeserializer()));
    KubernetesSerialization unused =
        new KubernetesSerialization(mapper, true); // configures the mapper
    return mapper;
  }

  /** Parser that shares equal field names, which remain in memory as keys of maps. */
  private static final class SharingParser extends JsonParserDelegate {
    private static final SharedStrings NAMES = new SharedStrings();

    SharingParser(JsonParser parser) {
      super(parser);
    }

    @Override
    public @Nullable String currentName() throws IOException {
      @Nullable String name = super.currentName();
      return name == null ? null : NAMES.shared(name);
    }
  }

  private static final class SharingDeserializer extends StdScalarDeserializer<String> {
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
