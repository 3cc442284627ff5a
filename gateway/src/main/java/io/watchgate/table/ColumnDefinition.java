package io.watchgate.table;

/**
 * A column of a type's table, as the server's {@code Table} defines it.
 *
 * @param name with capitals as an apiserver has them, {@code Container-Runtime}; a header prints it
 *     in upper case
 * @param type of its cells as OpenAPI says it: {@code string}, {@code integer}, {@code date}, ...
 *     Some built-in columns say {@code string} and hold integers, as at an apiserver
 * @param format {@code name} for the column that names the object; mostly empty
 * @param description one line; may be empty
 * @param priority 0, or more where only a wide table shows it
 */
public record ColumnDefinition(
    String name, String type, String format, String description, int priority) {}
