package io.watchgate.server;

import io.watchgate.http.Relay;
import io.watchgate.kube.PassThroughClient;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Relay over a {@link PassThroughClient}. */
record ApiserverRelay(PassThroughClient client) implements Relay {
  @Override
  public Call prepare(RelayedRequest request) throws IOException {
    return new PassedCall(
        client.prepare(
            new PassThroughClient.PassedRequest(
                request.method(),
                request.pathAndQuery(),
                request.headers().stream()
                    .map(field -> new PassThroughClient.Header(field.name(), field.value()))
                    .toList(),
                request.body(),
                request.silence())));
  }

  private record PassedCall(PassThroughClient.PassedCall call) implements Call {
    @Override
    public Answer execute() throws IOException {
      return new PassedAnswer(call.execute());
    }

    @Override
    public void cancel() {
      call.cancel();
    }

    @Override
    public void close() {
      call.close();
    }
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
  }
}
