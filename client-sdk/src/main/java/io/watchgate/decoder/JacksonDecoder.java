package io.watchgate.decoder;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.google.protobuf.ByteString;
import io.watchgate.informer.Decoder;
import java.io.IOException;

/**
 * Decodes to whatever Jackson can make of JSON. Needs {@code
 * com.fasterxml.jackson.core:jackson-databind}. Thread-safe.
 *
 * <p>A type of one's own names the few fields that the program looks at, and costs as little heap:
 *
 * <pre>{@code
 * @JsonIgnoreProperties(ignoreUnknown = true)
 * record Deployment(Spec spec) {
 *   @JsonIgnoreProperties(ignoreUnknown = true)
 *   record Spec(int replicas) {}
 * }
 *
 * Informer<Deployment> informer =
 *     Informer.of(client, "deployments.apps", JacksonDecoder.of(new ObjectMapper(), Deployment.class))
 *         .including("/spec/replicas")
 *         .start();
 * }</pre>
 *
 * <p>Nothing is decoded of nothing: with the view {@code KEY}, which leaves the whole object out,
 * each object is one that cannot be decoded. Use {@link Decoder#raw} for that.
 */
public final class JacksonDecoder<T> implements Decoder<T> {
  private final ObjectReader reader;

  private JacksonDecoder(ObjectReader reader) {
    this.reader = reader;
  }

  /**
   * A decoder to a class.
   *
   * @param mapper says what becomes of fields that the class has not, of large numbers, of dates;
   *     not changed, and what is changed of it later has no effect
   */
  public static <T> JacksonDecoder<T> of(ObjectMapper mapper, Class<T> type) {
    return new JacksonDecoder<>(mapper.readerFor(type));
  }

  /** A decoder to a type with parameters, such as {@code Map<String, Object>}. */
  public static <T> JacksonDecoder<T> of(ObjectMapper mapper, TypeReference<T> type) {
    return new JacksonDecoder<>(mapper.readerFor(type));
  }

  /**
   * A decoder to trees, which have all that the JSON has.
   *
   * <pre>{@code
   * Informer<JsonNode> pods = Informer.of(client, "pods", JacksonDecoder.tree(new ObjectMapper())).start();
   * Optional<String> phase = pods.snapshot().get("default", "web-0").map(pod -> pod.value().at("/status/phase").textValue());
   * }</pre>
   */
  public static JacksonDecoder<JsonNode> tree(ObjectMapper mapper) {
    return of(mapper, JsonNode.class);
  }

  @Override
  public T decode(ByteString json) throws IOException {
    return reader.readValue(json.newInput());
  }
}
