package io.watchgate.pem;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Why a file cannot be read, in words; Java's own message is often only the path. */
public final class FileErrors {
  private FileErrors() {}

  public static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "there is no such file";
    }
    return e instanceof AccessDeniedException
        ? "this user may not read it"
        : String.valueOf(e.getMessage());
  }
}
