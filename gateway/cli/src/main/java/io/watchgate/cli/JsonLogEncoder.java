package io.watchgate.cli;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.IThrowableProxy;
import org.jspecify.annotations.Nullable;

/**
 * Encoder of log events as JSON, an object a line. The member {@code throwable} is present only if
 * the event has an exception; logback writes it as null otherwise.
 */
final class JsonLogEncoder extends JsonEncoder {
  JsonLogEncoder() {
    setWithFormattedMessage(true);
    // The parts of the message, and what is never set.
    setWithMessage(false);
    setWithArguments(false);
    setWithSequenceNumber(false);
    setWithNanoseconds(false);
    setWithContext(false);
    setWithMarkers(false);
    setWithMDC(false);
    setWithKVPList(false);
  }

  @Override
  protected void appendThrowableProxy(
      StringBuilder line, String name, @Nullable IThrowableProxy exception) {
    if (exception != null) {
      super.appendThrowableProxy(line, name, exception);
    }
  }
}
