package io.watchgate.decoder;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.TypeAdapter;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import com.google.protobuf.ByteString;
import io.kubernetes.client.openapi.JSON;
import io.watchgate.informer.Decoder;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Date;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decoder to the models of the official Java client. Needs {@code io.kubernetes:client-java-api}.
 *
 * <pre>{@code
 * Informer<V1Pod> pods =
 *     Informer.of(client, "pods", OfficialDecoder.of(V1Pod.class))
 *         .view(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS)
 *         .start();
 * Optional<String> phase = pods.snapshot().get("default", "web-0").map(pod -> pod.value().getStatus().getPhase());
 * }</pre>
 *
 * <p>Values are decoded as that client decodes them. {@code managedFields} are left out unless the
 * system property {@code kubernetes.client.includeManagedFields} is {@code true}; with the view
 * above they are not even sent.
 *
 * <p>Differences: this decoder reads the bytes into the models directly, whereas that client first
 * builds a tree of each part. That client throws if a required field is missing or a field is
 * unknown. This decoder ignores unknown fields, because objects of an apiserver that is newer than
 * the models must remain readable.
 */
public final class OfficialDecoder<T> implements Decoder<T> {
  /** Types whose adapters are that client's own and build no tree. */
  private static final List<Class<?>> SCALARS =
      List.of(OffsetDateTime.class, LocalDate.class, Date.class, java.sql.Date.class, byte[].class);

  private static final Gson GSON = gson();

  /** One decoder for each class, so that informers may share. */
  private static final ClassValue<OfficialDecoder<?>> DECODERS =
      new ClassValue<>() {
        @Override
        protected OfficialDecoder<?> computeValue(Class<?> type) {
          return new OfficialDecoder<>(GSON.getAdapter(TypeToken.get(type)));
        }
      };

  private final TypeAdapter<T> adapter;

  private OfficialDecoder(TypeAdapter<T> adapter) {
    this.adapter = adapter;
  }

  /**
   * Returns the decoder to a model. Thread-safe.
   *
   * @param type {@code V1Pod}, or the program's class for a custom resource
   */
  @SuppressWarnings("unchecked") // the decoder was created for this class
  public static <T> OfficialDecoder<T> of(Class<T> type) {
    return (OfficialDecoder<T>) DECODERS.get(type);
  }

  @Override
  public T decode(ByteString json) throws IOException {
    try (Reader text = new InputStreamReader(json.newInput(), StandardCharsets.UTF_8)) {
      return adapter.fromJson(text);
    }
  }

  private static Gson gson() {
    Gson theirs = JSON.getGson();
    GsonBuilder builder = JSON.createGson();
    for (Class<?> scalar : SCALARS) {
      builder.registerTypeAdapter(scalar, theirs.getAdapter(scalar));
    }
    return builder
        .registerTypeAdapter(String.class, new SharingAdapter(new Gson().getAdapter(String.class)))
        .create();
  }

  /** Adapter that shares equal strings, both values and keys of maps. */
  private static final class SharingAdapter extends TypeAdapter<String> {
    private final TypeAdapter<String> plain;
    private final SharedStrings strings = new SharedStrings();

    SharingAdapter(TypeAdapter<String> plain) {
      this.plain = plain;
    }

    @Override
    public @Nullable String read(JsonReader in) throws IOException {
      @Nullable String text = plain.read(in);
      return text == null ? null : strings.shared(text);
    }

    @Override
    public void write(JsonWriter out, @Nullable String text) throws IOException {
      plain.write(out, text);
    }
  }
}
