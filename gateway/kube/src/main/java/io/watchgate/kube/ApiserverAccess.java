package io.watchgate.kube;

import io.watchgate.cache.UpstreamFailure.Transport;
import java.io.IOException;
import java.net.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.LongSupplier;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Response;

/**
 * Access to an apiserver: its address, the credentials, the HTTP clients and the timer that ends
 * calls. Thread-safe.
 */
final class ApiserverAccess implements AutoCloseable {
  private static final String USER_AGENT =
      "watchgate/"
          + Optional.ofNullable(ApiserverAccess.class.getPackage().getImplementationVersion())
              .orElse("unreleased");

  private final ClientConfig config;
  private final KubeSettings settings;
  private final CredentialSource credentialSource;
  private final ReloadingHttpClient clients;
  private final ScheduledThreadPoolExecutor timer;
  private final Set<UpstreamHttpClient> upstreamClients = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  ApiserverAccess(ClientConfig config, KubeSettings settings, LongSupplier nanoTime)
      throws ConfigException {
    this.config = config;
    this.settings = settings;
    this.credentialSource = CredentialSource.of(config.credentials(), settings, nanoTime);
    Duration ping = settings.timeouts().ping();
    OkHttpClient.Builder base =
        new OkHttpClient.Builder()
            // Only the kubeconfig's proxy-url counts: neither the JVM's properties nor the
            // system's.
            .proxy(Proxy.NO_PROXY)
            .socketFactory(new KeepAliveSocketFactory(KeepAliveSocketFactory.Windowed::new, ping))
            .connectTimeout(settings.timeouts().connect())
            .readTimeout(settings.timeouts().request())
            .writeTimeout(settings.timeouts().request())
            .callTimeout(Duration.ZERO)
            .pingInterval(ping)
            // An apiserver does not redirect; a login page in front of it does.
            .followRedirects(false)
            .followSslRedirects(false);
    if (config.proxy() != null) {
      config.proxy().applyTo(base, ping);
    }
    this.clients = new ReloadingHttpClient(base.build(), config, settings);
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("kube-timer").factory());
    timer.setRemoveOnCancelPolicy(true);
    // Calls that request a timeout after close() are ended by close() itself.
    timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
  }

  /** Returns a URL below the apiserver's URL, which may have a path of its own. */
  HttpUrl.Builder url(String path) {
    return config.server().newBuilder().addPathSegments(path);
  }

  /** Returns a client with connections that are not shared. The caller closes it. */
  UpstreamHttpClient newUpstreamClient() {
    UpstreamHttpClient client = new UpstreamHttpClient(this);
    upstreamClients.add(client);
    if (closed) {
      client.close();
    }
    return client;
  }

  /** Removes a client that was closed. */
  void forget(UpstreamHttpClient client) {
    upstreamClients.remove(client);
  }

  /** Returns the headers of a request, without those of its body. */
  Headers headers(String accept, ApiRequest.Encoding encoding, RequestCredentials login) {
    Headers.Builder headers =
        new Headers.Builder().add("Accept", accept).add("User-Agent", USER_AGENT);
    if (!login.authorization().isEmpty()) {
      headers.add("Authorization", login.authorization());
    }
    if (encoding == ApiRequest.Encoding.IDENTITY) {
      headers.add("Accept-Encoding", "identity");
    }
    config.impersonation().addTo(headers);
    return headers.build();
  }

  /**
   * Returns the failure of a request that was answered with an error. After a 401 the rejected
   * credentials are dropped, since newer ones may be available.
   */
  KubeException refused(String request, RequestCredentials login, Response response)
      throws IOException {
    if (response.code() == 401) {
      credentialSource.onRejected(login);
    }
    return new KubeException(ApiServerError.of(response).failure(request));
  }

  /** Returns the failure of a request whose connection could not be made, or broke. */
  Transport connectionFailed(String request, IOException e) {
    clients.onConnectionFailed();
    return new Transport(request + ": " + ConnectionErrors.text(e, config));
  }

  CredentialSource credentialSource() {
    return credentialSource;
  }

  ReloadingHttpClient clients() {
    return clients;
  }

  KubeSettings settings() {
    return settings;
  }

  ScheduledThreadPoolExecutor timer() {
    return timer;
  }

  ClientConfig config() {
    return config;
  }

  /** Ends all calls, closes all connections and stops the timer. */
  @Override
  public void close() {
    closed = true;
    upstreamClients.forEach(UpstreamHttpClient::close);
    credentialSource.close();
    timer.shutdownNow();
  }
}
