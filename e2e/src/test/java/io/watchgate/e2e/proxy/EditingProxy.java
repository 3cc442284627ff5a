package io.watchgate.e2e.proxy;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.tls.Certificates;
import okhttp3.tls.HandshakeCertificates;

/**
 * HTTP proxy in front of a real apiserver, as whose administrator it asks. It edits the text of
 * answers and moves their time. It reads an answer to its end, so it shortens watches to 2 s.
 */
public final class EditingProxy implements AutoCloseable {
  private static final String DATE = "Date";

  private final Apiserver apiserver;
  private final MockWebServer server = new MockWebServer();
  private final OkHttpClient http;
  private final List<String[]> edits = new CopyOnWriteArrayList<>();
  private volatile long minutes;

  private EditingProxy(Apiserver apiserver) throws IOException {
    this.apiserver = apiserver;
    HandshakeCertificates trusted =
        new HandshakeCertificates.Builder()
            .addTrustedCertificate(
                Certificates.decodeCertificatePem(
                    Files.readString(apiserver.file(Credential.AUTHORITY))))
            .build();
    this.http =
        new OkHttpClient.Builder()
            .sslSocketFactory(trusted.sslSocketFactory(), trusted.trustManager())
            .build();
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            try {
              return answer(request);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        });
    server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
    server.start();
  }

  /** Starts the proxy. */
  public static EditingProxy before(Apiserver apiserver) {
    try {
      return new EditingProxy(apiserver);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces what a regular expression matches, in all further answers. */
  public void edit(String pattern, String replacement) {
    edits.add(new String[] {pattern, replacement});
  }

  /** Moves the time of all further answers. */
  public void shiftClockMinutes(long by) {
    minutes = by;
  }

  /** Returns the address, which is without TLS. */
  public URI uri() {
    return server.url("/").uri();
  }

  private MockResponse answer(RecordedRequest request) throws IOException {
    String path = request.getTarget().replaceFirst("timeoutSeconds=\\d+", "timeoutSeconds=2");
    RequestBody body =
        request.getMethod().equals("POST")
            ? RequestBody.create(
                request.getBody() == null ? new byte[0] : request.getBody().toByteArray())
            : null;
    Request.Builder forwarded =
        new Request.Builder()
            .url(apiserver.server() + path)
            .method(request.getMethod(), body)
            .header("Authorization", "Bearer " + apiserver.token());
    for (String name : List.of("Accept", "Content-Type")) {
      String value = request.getHeaders().get(name);
      if (value != null) {
        forwarded.header(name, value);
      }
    }
    try (Response response = http.newCall(forwarded.build()).execute()) {
      String text = new String(response.body().bytes(), StandardCharsets.UTF_8);
      for (String[] edit : edits) {
        text = text.replaceAll(edit[0], edit[1]);
      }
      return new MockResponse.Builder()
          .code(response.code())
          .setHeader("Content-Type", String.valueOf(response.header("Content-Type")))
          .setHeader(
              DATE,
              DateTimeFormatter.RFC_1123_DATE_TIME.format(
                  ZonedDateTime.now(ZoneOffset.UTC).plusMinutes(minutes)))
          .body(text)
          .build();
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
