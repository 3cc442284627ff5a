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
          return decoder(MAPPER.readerFor(type));
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

  private static <T> Decoder<T> decoder(ObjectReader reader) {
    return json -> {
      try (JsonParser parser =
          new SharingParser(MAPPER.getFactory().createParser(json.newInput()))) {
        return reader.readValue(parser);
      }
    };
  }

  /**
   * As fabric8 sets it up itself: of its default mapper it differs in that equal short texts are
   * one, and that the parser remembers no names. Managed fields have the keys of lists as names,
   * such as a pod's address: each object brings new ones, and for each the parser would copy all
   * that it remembers. It took half of the time to decode ten thousand pods, one by one.
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
        new KubernetesSerialization(mapper, true); // sets the mapper up
    return mapper;
  }

  /** Of names, which stay where they are keys of maps. */
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
