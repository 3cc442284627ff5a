package io.watchgate.table;

/**
 * Column of a type's table, as the server's {@code Table} defines it.
 *
 * @param name with an apiserver's capitals, {@code Container-Runtime}; a header prints it in upper
 *     case
 * @param type type of its cells in the words of OpenAPI: {@code string}, {@code integer}, {@code
 *     date}, ... Some built-in columns have type {@code string} and integer cells, as at an
 *     apiserver
 * @param format {@code name} for the column with the object's name; mostly empty
 * @param description one line; may be empty
 * @param priority 0, or more if only a wide table has the column
 */
public record ColumnDefinition(
    String name, String type, String format, String description, int priority) {}
