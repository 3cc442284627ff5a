package io.watchgate.decoder;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.google.protobuf.ByteString;
import io.watchgate.informer.Decoder;
import java.io.IOException;

/**
 * Decoder to any type that Jackson supports. Needs {@code
 * com.fasterxml.jackson.core:jackson-databind}. Thread-safe.
 *
 * <p>A class with only the fields that the program uses keeps the heap small:
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
 * <p>An empty text cannot be decoded: with the view {@code KEY}, which leaves out the entire
 * object, each object is undecodable. Use {@link Decoder#raw} for that view.
 */
public final class JacksonDecoder<T> implements Decoder<T> {
  private final ObjectReader reader;

  private JacksonDecoder(ObjectReader reader) {
    this.reader = reader;
  }

  /**
   * Returns a decoder to a class.
   *
   * @param mapper configures unknown fields, large numbers and dates; it is copied, so later
   *     changes to it have no effect
   */
  public static <T> JacksonDecoder<T> of(ObjectMapper mapper, Class<T> type) {
    return new JacksonDecoder<>(mapper.readerFor(type));
  }

  /** Returns a decoder to a generic type, such as {@code Map<String, Object>}. */
  public static <T> JacksonDecoder<T> of(ObjectMapper mapper, TypeReference<T> type) {
    return new JacksonDecoder<>(mapper.readerFor(type));
  }

  /**
   * Returns a decoder to trees, which contain everything of the JSON.
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
