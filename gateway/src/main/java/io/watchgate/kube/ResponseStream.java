package io.watchgate.kube;

import java.io.InputStream;
import okhttp3.Call;
import okhttp3.Response;

/** An answer that goes on: of {@link ApiClient}. One thread reads, any may close. */
public final class ResponseStream implements AutoCloseable {
  private final Call call;
  private final Response response;

  ResponseStream(Call call, Response response) {
    this.call = call;
    this.response = response;
  }

  /** Its bytes; an IOException once closed. */
  public InputStream body() {
    return response.body().byteStream();
  }

  /** Ends the answer at once. */
  @Override
  public void close() {
    call.cancel();
  }
}
