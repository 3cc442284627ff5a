package io.watchgate.kube;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Why a file cannot be read, in words; Java's own message is often only the path. */
final class FileErrors {
  private FileErrors() {}

  static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException missing -> "there is no such file";
      case AccessDeniedException denied -> "this user may not read it";
      default -> String.valueOf(e.getMessage());
    };
  }
}
