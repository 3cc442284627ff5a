package io.watchgate.e2e.access;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Encoder of the few DER elements that the test certificates and keys need. */
final class Der {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private Der() {}

  static byte[] element(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream element = new ByteArrayOutputStream();
    element.write(tag);
    int length = content.size();
    if (length < 128) {
      element.write(length);
    } else {
      byte[] bytes = BigInteger.valueOf(length).toByteArray();
      int from = bytes[0] == 0 ? 1 : 0;
      element.write(0x80 | (bytes.length - from));
      element.write(bytes, from, bytes.length - from);
    }
    element.writeBytes(content.toByteArray());
    return element.toByteArray();
  }

  static byte[] sequence(byte[]... parts) {
    return element(0x30, parts);
  }

  static byte[] integer(BigInteger value) {
    return element(0x02, value.toByteArray());
  }

  static byte[] octets(byte[] content) {
    return element(0x04, content);
  }

  /** Returns a bit string of full bytes. */
  static byte[] bits(byte[] content) {
    return element(0x03, new byte[] {0}, content);
  }

  static byte[] bool(boolean value) {
    return element(0x01, new byte[] {(byte) (value ? 0xff : 0)});
  }

  /** GeneralizedTime. */
  static byte[] time(Instant time) {
    return element(0x18, TIME.format(time).getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns an object identifier such as {@code 1.2.840.10045.2.1}. */
  static byte[] identifier(String dotted) {
    String[] parts = dotted.split("\\.", -1);
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.write(Integer.parseInt(parts[0]) * 40 + Integer.parseInt(parts[1]));
    for (int i = 2; i < parts.length; i++) {
      int value = Integer.parseInt(parts[i]);
      for (int shift = 28; shift > 0; shift -= 7) {
        if (value >>> shift != 0) {
          content.write(0x80 | ((value >>> shift) & 0x7f));
        }
      }
      content.write(value & 0x7f);
    }
    return element(0x06, content.toByteArray());
  }
}
