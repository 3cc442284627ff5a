package io.watchgate.pem;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Why a file cannot be read, in words; Java's own message is often only the path. */
public final class FileErrors {
  private FileErrors() {}

  public static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException missing -> "there is no such file";
      case AccessDeniedException denied -> "this user may not read it";
      default -> String.valueOf(e.getMessage());
    };
  }
}
