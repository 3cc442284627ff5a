package io.watchgate.server;

import io.watchgate.http.Relay;
import io.watchgate.kube.PassThroughClient;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Relay over a {@link PassThroughClient}. */
record ApiserverRelay(PassThroughClient client) implements Relay {
  @Override
  public Answer send(RelayedRequest request) throws IOException {
    return new PassedAnswer(
        client.send(
            new PassThroughClient.PassedRequest(
                request.method(),
                request.pathAndQuery(),
                request.headers().stream()
                    .map(field -> new PassThroughClient.Header(field.name(), field.value()))
                    .toList(),
                request.body(),
                request.silence())));
  }

  private record PassedAnswer(PassThroughClient.Answer answer) implements Answer {
    @Override
    public int code() {
      return answer.code();
    }

    @Override
    public List<Field> headers() {
      return answer.headers().stream()
          .map(header -> new Field(header.name(), header.value()))
          .toList();
    }

    @Override
    public InputStream body() {
      return answer.body();
    }

    @Override
    public void close() {
      answer.close();
    }
  }
}
