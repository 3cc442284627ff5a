package io.watchgate.kube;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import okhttp3.Call;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import okio.Okio;
import okio.Source;
import org.jspecify.annotations.Nullable;

/**
 * Client that passes requests of others on to the apiserver, with their credentials and not with
 * those of the gateway: an apiserver looks at the certificate of a connection before a token, so
 * these connections show none. Neither requests nor answers are changed. Thread-safe; blocks.
 */
public final class PassThroughClient implements AutoCloseable {
  private final ApiServer server;
  private final ClientConfig config;

  private PassThroughClient(ApiServer server, ClientConfig config) {
    this.server = server;
    this.config = config;
  }

  /**
   * Creates a client, without a request to the apiserver.
   *
   * @param access only address, authorities and proxy are used
   * @throws ConfigException if TLS cannot be set up with the configuration
   */
  public static PassThroughClient of(ClientConfig access, KubeSettings settings)
      throws ConfigException {
    ClientConfig anonymous = access.withoutCredentials();
    return new PassThroughClient(new ApiServer(anonymous, settings, System::nanoTime), anonymous);
  }

  /** Header of a request or an answer. */
  public record Header(String name, String value) {
    /** Returns the name only: the value may be a credential. */
    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * Request to pass on.
   *
   * @param pathAndQuery encoded, as received, with the first slash
   * @param headers all headers but those of the connection
   * @param body null for none
   * @param silence longest time without a byte of the answer; zero: unlimited
   */
  public record PassedRequest(
      String method,
      String pathAndQuery,
      List<Header> headers,
      @Nullable InputStream body,
      Duration silence) {
    public PassedRequest {
      headers = List.copyOf(headers);
    }
  }

  /**
   * Sends a request on this thread, and returns the answer once its headers are known. The caller
   * closes the answer, from any thread.
   *
   * @throws IOException if the apiserver cannot be reached, or does not answer; the message names
   *     the reason
   */
  public Answer send(PassedRequest passed) throws IOException {
    HttpUrl url = config.server().resolve(prefix() + passed.pathAndQuery());
    if (url == null) {
      throw new IOException("the path is no path of a URL");
    }
    Headers.Builder headers = new Headers.Builder();
    boolean encoded = false;
    for (Header header : passed.headers()) {
      headers.addUnsafeNonAscii(header.name(), header.value());
      encoded |= header.name().equalsIgnoreCase("Accept-Encoding");
    }
    if (!encoded) {
      // OkHttp would ask for gzip and decode it.
      headers.add("Accept-Encoding", "identity");
    }
    Request request =
        new Request.Builder()
            .url(url)
            .headers(headers.build())
            .method(passed.method(), body(passed))
            .build();
    OkHttpClient client =
        server
            .clients()
            .forRequest(RequestCredentials.NONE)
            .newBuilder()
            .readTimeout(passed.silence())
            .build();
    Call call = client.newCall(request);
    try {
      return new Answer(call, call.execute());
    } catch (IOException e) {
      server.clients().onConnectionFailed();
      throw new IOException(ConnectionErrors.text(e, config), e);
    }
  }

  private static @Nullable RequestBody body(PassedRequest passed) {
    InputStream in = passed.body();
    if (in == null) {
      return null;
    }
    return new RequestBody() {
      @Override
      public @Nullable MediaType contentType() {
        return null; // among the headers
      }

      @Override
      public boolean isOneShot() {
        return true;
      }

      @Override
      public void writeTo(BufferedSink sink) throws IOException {
        try (Source source = Okio.source(in)) {
          sink.writeAll(source);
        }
      }
    };
  }

  private String prefix() {
    String path = config.server().encodedPath();
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  /** Answer of the apiserver. */
  public static final class Answer implements AutoCloseable {
    private final Call call;
    private final Response response;

    private Answer(Call call, Response response) {
      this.call = call;
      this.response = response;
    }

    public int code() {
      return response.code();
    }

    /** Returns all headers. */
    public List<Header> headers() {
      Headers headers = response.headers();
      return IntStream.range(0, headers.size())
          .mapToObj(i -> new Header(headers.name(i), headers.value(i)))
          .toList();
    }

    /** Returns the bytes of the body, as the apiserver sent them. */
    public InputStream body() {
      return response.body().byteStream();
    }

    /** Ends the request if it is not complete. */
    @Override
    public void close() {
      call.cancel();
      response.close();
    }
  }

  /** Closes the connections; answers belong to their callers. */
  @Override
  public void close() {
    server.close();
  }
}
