package io.watchgate.e2e.kube;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import okhttp3.Call;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.tls.Certificates;
import okhttp3.tls.HandshakeCertificates;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Client of the apiserver for one user. Every method sends one request, repeated while the
 * apiserver initializes the type's storage, and returns the object of the response or throws {@link
 * KubeException}. Thread-safe.
 */
public final class Cluster implements AutoCloseable {
  private static final MediaType JSON = MediaType.get("application/json");
  private static final MediaType MERGE_PATCH = MediaType.get("application/merge-patch+json");

  private static final Duration SETTLING = Duration.ofSeconds(60);

  private final HttpUrl server;
  private final OkHttpClient http;
  private final OkHttpClient patient;

  /**
   * @param authority trusted certificate authorities in PEM
   * @param token sent as a bearer token
   */
  public Cluster(URI server, String authority, String token) {
    this(
        server,
        trusting(authority)
            .addInterceptor(chain -> sendWith(chain, "Authorization", "Bearer " + token)));
  }

  private Cluster(URI server, OkHttpClient.Builder http) {
    this.server = HttpUrl.get(server.toString());
    this.http =
        http.readTimeout(Duration.ofSeconds(30))
            .addInterceptor(chain -> sendWith(chain, "User-Agent", "watchgate-e2e"))
            .build();
    this.patient = this.http.newBuilder().readTimeout(Duration.ZERO).build();
  }

  /** Returns a client of a server without encryption, with a bearer token. */
  public static Cluster plaintext(URI server, String token) {
    return new Cluster(
        server,
        new OkHttpClient.Builder()
            .addInterceptor(chain -> sendWith(chain, "Authorization", "Bearer " + token)));
  }

  /** Returns a client of a server without encryption and credentials. */
  public static Cluster plaintext(URI server) {
    return new Cluster(server, new OkHttpClient.Builder());
  }

  private static OkHttpClient.Builder trusting(String authority) {
    HandshakeCertificates trusted =
        new HandshakeCertificates.Builder()
            .addTrustedCertificate(Certificates.decodeCertificatePem(authority))
            .build();
    return new OkHttpClient.Builder()
        .sslSocketFactory(trusted.sslSocketFactory(), trusted.trustManager());
  }

  private static Response sendWith(Interceptor.Chain chain, String header, String value)
      throws IOException {
    return chain.proceed(chain.request().newBuilder().header(header, value).build());
  }

  public JsonNode get(Resource type, String namespace, String name) {
    return call("GET", url(type, namespace, name), null);
  }

  /**
   * Returns all matching objects in one consistent list. {@code selectors} are query parameters.
   */
  public JsonNode list(Resource type, String namespace, Map<String, String> selectors) {
    HttpUrl.Builder url = url(type, namespace, "");
    selectors.forEach(url::addQueryParameter);
    return call("GET", url, null);
  }

  /** Creates an object; its type, namespace and name are part of the object. */
  public JsonNode create(Resource type, JsonNode object) {
    return call(
        "POST", url(type, namespaceOf(object), ""), RequestBody.create(Json.bytes(object), JSON));
  }

  /**
   * Replaces an object. Refused with 409 if the object has a resourceVersion that is not the
   * newest.
   */
  public JsonNode replace(Resource type, JsonNode object) {
    HttpUrl.Builder url = url(type, namespaceOf(object), object.at("/metadata/name").textValue());
    return call("PUT", url, RequestBody.create(Json.bytes(object), JSON));
  }

  /** Returns the result of a dry run of a replacement. */
  public JsonNode replaceDry(Resource type, String namespace, String name, JsonNode object) {
    return call(
        "PUT",
        url(type, namespace, name).addQueryParameter("dryRun", "All"),
        RequestBody.create(Json.bytes(object), JSON));
  }

  public JsonNode patch(Resource type, String namespace, String name, String mergePatch) {
    return call("PATCH", url(type, namespace, name), RequestBody.create(mergePatch, MERGE_PATCH));
  }

  /**
   * Patches an object.
   *
   * @param mediaType media type of the patch, which names its kind
   */
  public JsonNode patch(
      Resource type, String namespace, String name, String mediaType, String patch) {
    return call(
        "PATCH",
        url(type, namespace, name),
        RequestBody.create(patch.getBytes(StandardCharsets.UTF_8), MediaType.get(mediaType)));
  }

  /** Returns all objects of a namespace as a table, with each object in its row. */
  public JsonNode table(Resource type, String namespace) {
    HttpUrl.Builder url = url(type, namespace, "").addQueryParameter("includeObject", "Object");
    return answer(
        new Request.Builder()
            .url(url.build())
            .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
            .build());
  }

  public JsonNode patchStatus(Resource type, String namespace, String name, String mergePatch) {
    return call(
        "PATCH",
        url(type, namespace, name).addPathSegment("status"),
        RequestBody.create(mergePatch, MERGE_PATCH));
  }

  /** Deletes an object immediately, because no kubelet would end a grace period. */
  public JsonNode delete(Resource type, String namespace, String name) {
    HttpUrl.Builder url = url(type, namespace, name).addQueryParameter("gracePeriodSeconds", "0");
    return call("DELETE", url, RequestBody.EMPTY);
  }

  /** Binds a pod to a node, as a scheduler does. */
  public JsonNode bind(String namespace, String pod, String node) {
    JsonNode binding =
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Binding","metadata":{"name":"%s"},
             "target":{"apiVersion":"v1","kind":"Node","name":"%s"}}
            """
                .formatted(pod, node));
    return call(
        "POST",
        url(Resource.PODS, namespace, pod).addPathSegment("binding"),
        RequestBody.create(Json.bytes(binding), JSON));
  }

  public void createNamespace(String name) {
    create(
        Resource.NAMESPACES,
        Json.parse(
            "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\""
                + name
                + "\"}}"));
  }

  /** Deletes an empty namespace permanently, which without controllers needs a second request. */
  public void deleteNamespace(String name) {
    delete(Resource.NAMESPACES, "", name);
    JsonNode finalized =
        Json.parse(
            "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\""
                + name
                + "\"},\"spec\":{\"finalizers\":[]}}");
    call(
        "PUT",
        url(Resource.NAMESPACES, "", name).addPathSegment("finalize"),
        RequestBody.create(Json.bytes(finalized), JSON));
  }

  /** Reads any path of the server, such as {@code /version}. */
  public JsonNode read(String path) {
    return call("GET", server.newBuilder().encodedPath(path), null);
  }

  /**
   * Response of any kind. {@code contentType} is empty if there is none.
   *
   * @param headers as they were sent: that of an encoding too, though the body is decoded
   */
  public record Reply(int code, Headers headers, String body) {
    /** Returns the value of a header, or an empty text. */
    public String header(String name) {
      return Objects.requireNonNullElse(headers.get(name), "");
    }

    public String contentType() {
      return header("Content-Type");
    }
  }

  /**
   * Opens a long response, such as a watch.
   *
   * @param path with the query, encoded
   */
  public InputStream open(String path, String accept) {
    HttpUrl url = Objects.requireNonNull(server.resolve(path));
    Request request =
        new Request.Builder()
            .url(url)
            .header("Accept", accept)
            .header("Accept-Encoding", "identity")
            .build();
    try {
      Response response = patient.newCall(request).execute();
      if (response.code() != 200) {
        try (response) {
          throw new KubeException("GET " + path, response.code(), response.body().string());
        }
      }
      return response.body().byteStream();
    } catch (IOException e) {
      throw new UncheckedIOException("GET " + path + " failed: " + e.getMessage(), e);
    }
  }

  /**
   * Sends a request unchanged and returns the response, including errors.
   *
   * @param path with the query, encoded
   * @param contentType empty without a body
   */
  public Reply send(String method, String path, String accept, String contentType, String body) {
    HttpUrl url = Objects.requireNonNull(server.resolve(path));
    RequestBody sent =
        !contentType.isEmpty()
            ? RequestBody.create(body.getBytes(StandardCharsets.UTF_8), MediaType.get(contentType))
            : method.equals("GET") ? null : RequestBody.EMPTY;
    Request request =
        new Request.Builder().url(url).method(method, sent).header("Accept", accept).build();
    try (Response response = http.newCall(request).execute()) {
      Headers sentHeaders = Objects.requireNonNull(response.networkResponse()).headers();
      return new Reply(response.code(), sentHeaders, response.body().string());
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path + " failed: " + e.getMessage(), e);
    }
  }

  /**
   * Returns the status code of a watch; its events are not read.
   *
   * @param parameters besides {@code watch}
   */
  public int answerToWatch(Resource type, String namespace, Map<String, String> parameters) {
    return sendWatch(type, namespace, parameters).code();
  }

  /** Returns the response to a watch without its events; parameters as above. */
  public Reply sendWatch(Resource type, String namespace, Map<String, String> parameters) {
    Map<String, String> all = new LinkedHashMap<>(parameters);
    all.put("watch", "1");
    Call call = watchCall(type, namespace, all);
    try (Response response = call.execute()) {
      return new Reply(response.code(), response.headers(), "");
    } catch (IOException e) {
      throw new UncheckedIOException("WATCH " + call.request().url() + " failed", e);
    } finally {
      call.cancel();
    }
  }

  /** Returns the status code of a list with at most one object. */
  public int answerToList(Resource type, String namespace, Map<String, String> parameters) {
    return sendList(type, namespace, parameters).code();
  }

  /** Returns the response to a list of one object, including errors. */
  public Reply sendList(Resource type, String namespace, Map<String, String> parameters) {
    Map<String, String> all = new LinkedHashMap<>(parameters);
    all.put("limit", "1");
    return sendGet(type, namespace, "", all, "application/json");
  }

  /**
   * Returns the response to a get, or to a list, including errors.
   *
   * @param name empty for a list
   */
  public Reply sendGet(
      Resource type, String namespace, String name, Map<String, String> parameters, String accept) {
    HttpUrl.Builder url = url(type, namespace, name);
    parameters.forEach(url::addQueryParameter);
    Request request = new Request.Builder().url(url.build()).header("Accept", accept).build();
    try (Response response = http.newCall(request).execute()) {
      return new Reply(response.code(), response.headers(), response.body().string());
    } catch (IOException e) {
      throw new UncheckedIOException("GET " + url + " failed", e);
    }
  }

  /** Returns a call with a streaming response: no read timeout, no compression. */
  Call watchCall(Resource type, String namespace, Map<String, String> parameters) {
    HttpUrl.Builder url = url(type, namespace, "");
    parameters.forEach(url::addQueryParameter);
    Request request =
        new Request.Builder().url(url.build()).header("Accept-Encoding", "identity").build();
    return patient.newCall(request);
  }

  @Override
  public void close() {
    http.dispatcher().cancelAll();
    http.connectionPool().evictAll();
    http.dispatcher().executorService().shutdown();
  }

  private static String namespaceOf(JsonNode object) {
    return object.at("/metadata/namespace").asText();
  }

  private HttpUrl.Builder url(Resource type, String namespace, String name) {
    HttpUrl.Builder url = server.newBuilder().encodedPath(type.path(namespace));
    return name.isEmpty() ? url : url.addPathSegment(name);
  }

  private JsonNode call(String method, HttpUrl.Builder url, @Nullable RequestBody body) {
    return answer(new Request.Builder().url(url.build()).method(method, body).build());
  }

  private JsonNode answer(Request request) {
    JsonNode answer = ask(request);
    return answer != null
        ? answer
        : Awaitility.await(request.method() + " " + request.url())
            .pollInterval(Duration.ofMillis(20))
            .atMost(SETTLING)
            .until(() -> ask(request), Objects::nonNull);
  }

  /**
   * Sends a request. Returns null if it had no effect because the apiserver is initializing the
   * type's storage, which happens for a moment after a definition has changed; the caller repeats
   * it.
   */
  private @Nullable JsonNode ask(Request request) {
    try (Response response = http.newCall(request).execute()) {
      if (response.isSuccessful()) {
        return Json.parse(response.body().bytes());
      }
      KubeException refusal = failure(request, response);
      if (refusal.isStorageInitializing()) {
        return null;
      }
      throw refusal;
    } catch (IOException e) {
      throw new UncheckedIOException(
          request.method() + " " + request.url() + " failed: " + e.getMessage(), e);
    }
  }

  static KubeException failure(Request request, Response response) throws IOException {
    return new KubeException(
        request.method() + " " + request.url(), response.code(), response.body().string());
  }
}
