package io.watchgate.labels;

/** Error for a text that is no label selector. The message says what was expected. */
public final class LabelSelectorException extends Exception {
  private static final long serialVersionUID = 1;

  private final int index;
  private final int apiserverIndex;
  private final String apiserverMessage;

  LabelSelectorException(int index, String message, int apiserverIndex, String apiserverMessage) {
    super(message);
    this.index = index;
    this.apiserverIndex = apiserverIndex;
    this.apiserverMessage = apiserverMessage;
  }

  /** Returns the index of the char that the message concerns. */
  public int index() {
    return index;
  }

  /**
   * Returns the index of the char that the apiserver's message concerns. It differs if several
   * values are wrong: the apiserver sorts the values first.
   */
  public int apiserverIndex() {
    return apiserverIndex;
  }

  /** Returns the apiserver's own text of the error. */
  public String apiserverMessage() {
    return apiserverMessage;
  }
}
