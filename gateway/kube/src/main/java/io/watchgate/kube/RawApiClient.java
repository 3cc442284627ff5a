package io.watchgate.kube;

import io.watchgate.cache.UpstreamFailure;
import io.watchgate.json.JsonException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Client of an apiserver for single requests, whose answers are bytes. It is used for the registry
 * of replicas, for reviews, and by tools that write or watch beside a gateway. It has the
 * credentials, TLS and proxies of {@link KubeCluster}, but connections of its own, no liveness
 * checks and no retries. Thread-safe.
 */
public final class RawApiClient implements AutoCloseable {
  private static final int KEPT_CONNECTIONS = 16;
  private static final int MAX_DATED_BYTES = 1 << 20;
  private static final String NAMESPACES = "api/v1/namespaces";

  private final ApiserverAccess server;
  private final ConnectionPool pool = new ConnectionPool(KEPT_CONNECTIONS, 1, TimeUnit.MINUTES);
  private volatile @Nullable Derived derived;

  /** Client over this object's own connections, derived from the shared client. */
  private record Derived(OkHttpClient base, OkHttpClient own) {}

  /**
   * Answer with its time.
   *
   * @param date header {@code Date}, as it was sent; empty if there was none
   */
  @SuppressWarnings("ArrayRecordComponent") // it is not compared
  public record Dated(byte[] body, String date) {}

  private RawApiClient(ApiserverAccess server) {
    this.server = server;
  }

  /**
   * Creates a client, without a request to the apiserver.
   *
   * @throws ConfigException if TLS cannot be set up with the configuration
   */
  public static RawApiClient of(ClientConfig access, KubeSettings settings) throws ConfigException {
    return new RawApiClient(new ApiserverAccess(access, settings, System::nanoTime));
  }

  /**
   * Request.
   *
   * @param method HTTP method
   * @param path path below the apiserver's URL, without the first slash, with its query
   * @param mediaType media type of the body; ignored if the body is empty
   */
  public record Message(String method, String path, String mediaType, String body) {
    public static Message get(String path) {
      return new Message("GET", path, "", "");
    }

    public static Message delete(String path) {
      return new Message("DELETE", path, "", "");
    }

    /** Returns a request that creates an object. */
    public static Message create(String collection, String json) {
      return new Message("POST", collection, ApiRequest.JSON, json);
    }

    /** Returns a request that applies a merge patch (RFC 7386). */
    public static Message merge(String path, String json) {
      return new Message("PATCH", path, "application/merge-patch+json", json);
    }

    public static Message createNamespace(String name) {
      return create(
          NAMESPACES,
          "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}"
              .formatted(name));
    }

    /** Returns a request that deletes a namespace and the objects in it. */
    public static Message deleteNamespace(String name) {
      return delete(NAMESPACES + "/" + name);
    }

    String what() {
      return method + " " + path.replaceFirst("[?].*", "");
    }
  }

  /**
   * Makes the request on this thread and returns the body of the answer.
   *
   * @throws KubeException if the request fails, or is answered with anything but 2xx
   */
  public byte[] send(Message message) throws KubeException {
    return send(message, Integer.MAX_VALUE);
  }

  /**
   * Makes the request on this thread and returns the body of the answer.
   *
   * @throws KubeException if the request fails, is answered with anything but 2xx, or if the body
   *     has {@code maxBytes} or more
   */
  byte[] send(Message message, int maxBytes) throws KubeException {
    return read(message, response -> body(message, response, maxBytes));
  }

  /**
   * Makes the request on this thread and returns the answer with the time that the server gives it.
   *
   * @throws KubeException as {@link #send} does, or if the body has 1 MiB or more
   */
  public Dated sendDated(Message message) throws KubeException {
    return read(
        message,
        response ->
            new Dated(
                body(message, response, MAX_DATED_BYTES),
                String.valueOf(response.header("Date", ""))));
  }

  /**
   * Makes the request on this thread and returns the first line of the answer that contains {@code
   * part}; empty if none does. The rest of the answer is not read.
   *
   * @throws KubeException as {@link #send} does
   */
  public Optional<String> findLine(Message message, String part) throws KubeException {
    return read(
        message,
        response -> {
          BufferedReader lines =
              new BufferedReader(
                  new InputStreamReader(response.body().byteStream(), StandardCharsets.UTF_8));
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.contains(part)) {
              return Optional.of(line);
            }
          }
          return Optional.empty();
        });
  }

  /**
   * Returns a text in the JSON object of an answer; empty if there is none.
   *
   * @param path names of the objects around it, then its own
   */
  public static String textIn(byte[] answer, String... path) {
    try {
      JsonDocument object = JsonDocument.parse(answer, 0, answer.length);
      for (int i = 0; i < path.length - 1; i++) {
        object = object.object(path[i]);
      }
      return object.text(path[path.length - 1]);
    } catch (JsonException e) {
      return "";
    }
  }

  /** Reader of an answer. */
  private interface AnswerReader<T> {
    T read(Response response) throws IOException, KubeException;
  }

  private <T> T read(Message message, AnswerReader<T> reader) throws KubeException {
    Call call = call(message, Timing.WITHIN_TIMEOUTS);
    try (Response response = call.execute()) {
      if (!response.isSuccessful()) {
        throw refused(message, response);
      }
      return reader.read(response);
    } catch (IOException e) {
      throw failed(message, e);
    }
  }

  private static byte[] body(Message message, Response response, int maxBytes)
      throws IOException, KubeException {
    byte[] body = response.body().byteStream().readNBytes(maxBytes);
    if (body.length == maxBytes) {
      throw new KubeException(
          new UpstreamFailure.Malformed(
              message.what() + ": the answer has " + maxBytes + " bytes or more"));
    }
    return body;
  }

  /**
   * Makes the request on this thread and returns the body of the answer as a stream, without a read
   * timeout. The caller closes it, from any thread, which ends the answer.
   *
   * @throws KubeException if the request fails, or is answered with anything but 2xx
   */
  public RawAnswer open(Message message) throws KubeException {
    Call call = call(message, Timing.WITHOUT_END);
    try {
      Response response = call.execute();
      if (!response.isSuccessful()) {
        try (response) {
          throw refused(message, response);
        }
      }
      return new RawAnswer(call, response);
    } catch (IOException e) {
      throw failed(message, e);
    }
  }

  private enum Timing {
    WITHIN_TIMEOUTS,
    WITHOUT_END
  }

  private Call call(Message message, Timing timing) throws KubeException {
    RequestCredentials login;
    OkHttpClient client;
    try {
      login = server.credentialSource().current();
      client = client(login);
    } catch (IOException e) {
      throw new KubeException(
          new UpstreamFailure.Unauthorized(message.what() + ": " + e.getMessage()));
    }
    HttpUrl url = server.config().server().resolve(prefix() + message.path());
    if (url == null) {
      throw new IllegalArgumentException(message.path());
    }
    RequestBody body =
        message.body().isEmpty() && !message.method().matches("POST|PUT|PATCH")
            ? null
            : RequestBody.create(
                message.body().getBytes(StandardCharsets.UTF_8),
                MediaType.parse(message.mediaType()));
    Request request =
        new Request.Builder()
            .url(url)
            .method(message.method(), body)
            .headers(server.headers(ApiRequest.JSON, ApiRequest.Encoding.IDENTITY, login))
            .tag(RequestCredentials.class, login)
            .build();
    OkHttpClient timed =
        timing == Timing.WITHIN_TIMEOUTS
            ? client
            : client.newBuilder().readTimeout(Duration.ZERO).build();
    return timed.newCall(request);
  }

  private String prefix() {
    String path = server.config().server().encodedPath();
    return path.endsWith("/") ? path : path + "/";
  }

  /**
   * Returns the shared client over this object's own connections; a new one after certificates were
   * replaced.
   */
  private OkHttpClient client(RequestCredentials login) throws IOException {
    OkHttpClient current = server.clients().forRequest(login);
    Derived made = derived;
    if (made != null && current.equals(made.base)) {
      return made.own;
    }
    OkHttpClient renewed = current.newBuilder().connectionPool(pool).build();
    derived = new Derived(current, renewed);
    return renewed;
  }

  private KubeException refused(Message message, Response response) throws IOException {
    RequestCredentials login = response.request().tag(RequestCredentials.class);
    return server.refused(message.what(), Objects.requireNonNull(login), response);
  }

  private KubeException failed(Message message, IOException e) {
    return new KubeException(server.connectionFailed(message.what(), e));
  }

  /** Closes idle connections; open streams belong to their callers. */
  @Override
  public void close() {
    pool.evictAll();
    server.close();
  }
}
