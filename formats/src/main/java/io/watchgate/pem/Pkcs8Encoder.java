package io.watchgate.pem;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Converter of older key encodings to PKCS #8 (RFC 5208), the only encoding that the JDK reads. */
final class Pkcs8Encoder {
  private static final int INTEGER = 0x02;
  private static final int OCTET_STRING = 0x04;
  private static final int OBJECT_IDENTIFIER = 0x06;
  private static final int SEQUENCE = 0x30;
  private static final int EC_PARAMETERS = 0xa0;
  private static final byte[] VERSION = {INTEGER, 1, 0};

  /** 1.2.840.113549.1.1.1 with the parameters NULL. */
  private static final byte[] RSA = {
    SEQUENCE,
    13,
    OBJECT_IDENTIFIER,
    9,
    0x2a,
    (byte) 0x86,
    0x48,
    (byte) 0x86,
    (byte) 0xf7,
    0x0d,
    1,
    1,
    1,
    5,
    0
  };

  /** 1.2.840.10045.2.1. */
  private static final byte[] EC = {
    OBJECT_IDENTIFIER, 7, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1
  };

  private Pkcs8Encoder() {}

  static byte[] wrapRsa(byte[] pkcs1) {
    return element(SEQUENCE, VERSION, RSA, element(OCTET_STRING, pkcs1));
  }

  /** Wraps a SEC 1 key. SEC 1 (RFC 5915) has the curve inside its structure, PKCS #8 outside. */
  static byte[] wrapEc(byte[] sec1) throws PemException {
    try {
      Cursor inside = new Cursor(sec1, 0).enter(SEQUENCE);
      inside.skip(INTEGER);
      inside.skip(OCTET_STRING);
      Cursor parameters = inside.enter(EC_PARAMETERS);
      byte[] curve = Arrays.copyOfRange(sec1, parameters.at, parameters.peekEnd(OBJECT_IDENTIFIER));
      return element(SEQUENCE, VERSION, element(SEQUENCE, EC, curve), element(OCTET_STRING, sec1));
    } catch (IndexOutOfBoundsException e) {
      throw new PemException("is broken, or an EC key without a named curve");
    }
  }

  private static byte[] element(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream element = new ByteArrayOutputStream();
    element.write(tag);
    int length = content.size();
    if (length < 0x80) {
      element.write(length);
    } else {
      element.write(0x82); // two bytes of length: keys are below 64 KiB
      element.write(length >>> 8);
      element.write(length);
    }
    element.writeBytes(content.toByteArray());
    return element.toByteArray();
  }

  /** Minimal DER reader; an offset out of bounds throws as such. */
  private static final class Cursor {
    final byte[] der;
    int at;

    Cursor(byte[] der, int at) {
      this.der = der;
      this.at = at;
    }

    Cursor enter(int tag) {
      int to = peekEnd(tag);
      return new Cursor(der, to - length());
    }

    void skip(int tag) {
      at = peekEnd(tag);
    }

    int peekEnd(int tag) {
      if ((der[at] & 0xff) != tag) {
        throw new IndexOutOfBoundsException();
      }
      int header = der[at + 1] >= 0 ? 2 : 2 + (der[at + 1] & 0x7f);
      int end = at + header + length();
      if (end > der.length) {
        throw new IndexOutOfBoundsException();
      }
      return end;
    }

    private int length() {
      int first = der[at + 1];
      if (first >= 0) {
        return first;
      }
      int bytes = first & 0x7f;
      if (bytes > 2) {
        throw new IndexOutOfBoundsException();
      }
      int length = 0;
      for (int i = 0; i < bytes; i++) {
        length = length << 8 | (der[at + 2 + i] & 0xff);
      }
      return length;
    }
  }
}
