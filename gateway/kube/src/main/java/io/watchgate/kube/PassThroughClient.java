package io.watchgate.kube;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
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
 * these connections show none. Bodies are not changed, and of a URL only characters are escaped
 * that may not occur in it. Thread-safe; blocks.
 */
public final class PassThroughClient implements AutoCloseable {
  private static final int KEPT_CONNECTIONS = 64;

  private final ApiServer server;
  private final ClientConfig config;
  private final ConnectionPool pool = new ConnectionPool(KEPT_CONNECTIONS, 1, TimeUnit.MINUTES);

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

  /** Returns a call that is not sent yet; the caller closes it. */
  public PassedCall prepare(PassedRequest passed) throws IOException {
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
            .url(url(passed.pathAndQuery()))
            .headers(headers.build())
            .method(passed.method(), body(passed))
            .build();
    OkHttpClient client =
        server
            .clients()
            .forRequest(RequestCredentials.NONE)
            .newBuilder()
            .connectionPool(pool)
            // Over HTTP/2 the answers that clients read slowly would be buffered here.
            .protocols(List.of(Protocol.HTTP_1_1))
            .readTimeout(passed.silence())
            .build();
    return new PassedCall(client.newCall(request));
  }

  /** Scheme, host and port are always those of the apiserver, whatever the path contains. */
  private HttpUrl url(String pathAndQuery) {
    int query = pathAndQuery.indexOf('?');
    String path = query < 0 ? pathAndQuery : pathAndQuery.substring(0, query);
    return config
        .server()
        .newBuilder()
        .encodedPath(prefix() + path)
        .encodedQuery(query < 0 ? null : pathAndQuery.substring(query + 1))
        .build();
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

  /** Call of the apiserver. Used by one thread, except for {@link #cancel}. */
  public final class PassedCall implements AutoCloseable {
    private final Call call;
    private @Nullable Response response;

    private PassedCall(Call call) {
      this.call = call;
    }

    /**
     * Sends the request on this thread, and returns the answer once its headers are known.
     *
     * @throws IOException if the apiserver cannot be reached, or does not answer; the message names
     *     the reason
     */
    public Answer execute() throws IOException {
      try {
        Response answered = call.execute();
        response = answered;
        return new Answer(answered);
      } catch (IOException e) {
        if (call.isCanceled()) {
          throw new IOException("no answer came in time", e);
        }
        server.clients().onConnectionFailed();
        throw new IOException(ConnectionErrors.text(e, config), e);
      }
    }

    /** Ends the call, from any thread: a read in progress fails. */
    public void cancel() {
      call.cancel();
    }

    @Override
    public void close() {
      call.cancel();
      if (response != null) {
        response.close();
      }
    }
  }

  /**
   * Answer of the apiserver.
   *
   * @param response open response, which the call closes
   */
  public record Answer(Response response) {
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
  }

  /** Closes idle connections; calls belong to their callers. */
  @Override
  public void close() {
    pool.evictAll();
    server.close();
  }
}
