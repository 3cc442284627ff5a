package io.watchgate.pem;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.jspecify.annotations.Nullable;

/** Messages for file errors; Java's own message is often only the path. */
public final class FileErrors {
  private FileErrors() {}

  /** Returns the reason why a file cannot be read, without its name. */
  public static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "there is no such file";
    }
    return e instanceof AccessDeniedException ? "this user may not read it" : other(e);
  }

  /** Returns the reason why a file cannot be written, without its name. */
  public static String ofWriting(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "there is no such folder, or it takes no files";
    }
    return e instanceof AccessDeniedException ? "this user may not write it" : other(e);
  }

  /** Returns the reason why a file cannot be read, after its name if the exception has one. */
  public static String text(IOException e) {
    @Nullable String file = e instanceof FileSystemException named ? named.getFile() : null;
    return file == null ? reason(e) : file + ": " + reason(e);
  }

  private static String other(IOException e) {
    if (e instanceof NotDirectoryException) {
      return "its folder is a file";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "it is there already";
    }
    if (e instanceof CharacterCodingException) {
      return "it is not text in UTF-8";
    }
    if (e instanceof FileSystemException system && system.getReason() != null) {
      return system.getReason(); // otherwise the message is the path
    }
    return e.getMessage() == null ? "the system gives no reason" : e.getMessage();
  }
}
