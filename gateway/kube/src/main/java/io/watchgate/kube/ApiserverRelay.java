package io.watchgate.kube;

import io.watchgate.relay.Relay;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import okhttp3.ConnectionPool;
import okhttp3.EventListener;
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
 * Relay of the requests of clients to the apiserver, with the credentials of the client and not
 * with those of the gateway. An apiserver checks the certificate of a connection before a token, so
 * these connections present none. Bodies are not changed, and of a URL only characters are escaped
 * that may not occur in it. Thread-safe; blocks.
 */
public final class ApiserverRelay implements Relay, AutoCloseable {
  private static final int KEPT_CONNECTIONS = 64;

  private final ApiserverAccess server;
  private final ClientConfig config;
  private final ConnectionPool pool = new ConnectionPool(KEPT_CONNECTIONS, 1, TimeUnit.MINUTES);

  private ApiserverRelay(ApiserverAccess server, ClientConfig config) {
    this.server = server;
    this.config = config;
  }

  /**
   * Creates a client, without a request to the apiserver.
   *
   * @param access only address, authorities and proxy are used
   * @throws ConfigException if TLS cannot be set up with the configuration
   */
  public static ApiserverRelay of(ClientConfig access, KubeSettings settings)
      throws ConfigException {
    ClientConfig anonymous = access.withoutCredentials();
    return new ApiserverRelay(
        new ApiserverAccess(anonymous, settings, System::nanoTime), anonymous);
  }

  @Override
  public Call prepare(RelayedRequest relayed) throws IOException {
    Headers.Builder headers = new Headers.Builder();
    boolean encoded = false;
    for (Field header : relayed.headers()) {
      headers.addUnsafeNonAscii(header.name(), header.value());
      encoded |= header.name().equalsIgnoreCase("Accept-Encoding");
    }
    if (!encoded) {
      // OkHttp would ask for gzip and decode it.
      headers.add("Accept-Encoding", "identity");
    }
    Request request =
        new Request.Builder()
            .url(url(relayed.pathAndQuery()))
            .headers(headers.build())
            .method(relayed.method(), body(relayed))
            .build();
    OkHttpClient.Builder client =
        server
            .clients()
            .forRequest(RequestCredentials.NONE)
            .newBuilder()
            .connectionPool(pool)
            // Over HTTP/2 the answers that clients read slowly would be buffered here.
            .protocols(List.of(Protocol.HTTP_1_1))
            .readTimeout(relayed.silence());
    return new RelayedCall(client, request);
  }

  /**
   * Returns the URL of a path below the apiserver's own, whatever the path contains.
   *
   * @throws IOException if the library would send another path: it resolves dots and backslashes
   */
  private HttpUrl url(String pathAndQuery) throws IOException {
    int query = pathAndQuery.indexOf('?');
    String path = prefix() + (query < 0 ? pathAndQuery : pathAndQuery.substring(0, query));
    HttpUrl url =
        config
            .server()
            .newBuilder()
            .encodedPath(path)
            .encodedQuery(query < 0 ? null : pathAndQuery.substring(query + 1))
            .build();
    if (!decoded(url.encodedPath()).equals(decoded(path))) {
      throw new IOException("the path of a request is ambiguous");
    }
    return url;
  }

  private static String decoded(String path) throws IOException {
    try {
      return URLDecoder.decode(path, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IOException("the path of a request is not encoded", e);
    }
  }

  private static @Nullable RequestBody body(RelayedRequest relayed) {
    InputStream in = relayed.body();
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

  private final class RelayedCall implements Call {
    private final okhttp3.Call call;
    private volatile boolean isSending;
    private @Nullable Response response;

    RelayedCall(OkHttpClient.Builder client, Request request) {
      this.call = client.eventListener(new SendListener()).build().newCall(request);
    }

    /** Observer of the moment from which the apiserver may have the request. */
    private final class SendListener extends EventListener {
      @Override
      public void requestHeadersStart(okhttp3.Call sent) {
        isSending = true;
      }
    }

    @Override
    public Answer execute() throws IOException {
      try {
        Response answered = call.execute();
        response = answered;
        return new Answer(
            answered.code(), fields(answered.headers()), answered.body().byteStream());
      } catch (IOException e) {
        if (call.isCanceled()) {
          throw new IOException("no answer came in time", e);
        }
        server.clients().onConnectionFailed();
        String message = ConnectionErrors.text(e, config);
        throw isSending ? new IOException(message, e) : new NotSentException(message, e);
      }
    }

    private static List<Field> fields(Headers headers) {
      return IntStream.range(0, headers.size())
          .mapToObj(i -> new Field(headers.name(i), headers.value(i)))
          .toList();
    }

    @Override
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

  /** Closes idle connections; calls belong to their callers. */
  @Override
  public void close() {
    pool.evictAll();
    server.close();
  }
}
