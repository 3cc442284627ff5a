/**
 * The clients of {@code e2e/python}, {@code e2e/go} and {@code e2e/node}, each made of nothing but
 * what gRPC generates and the rules of {@code watch.proto}. All of them take the same arguments,
 * print the same lines and pass the same tests: against the gateway before a real apiserver, and
 * against a server that plays what a gateway does rarely.
 */
@NullMarked
package io.watchgate.e2e.clients;

import org.jspecify.annotations.NullMarked;
