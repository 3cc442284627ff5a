/**
 * Certificates and private keys in PEM, from files that others replace while the process runs.
 *
 * <p>Whoever needs them, towards the apiserver ({@code kube}) or towards subscribers ({@code
 * grpc}), says what the texts become and asks a {@link io.watchgate.pem.Reread} whenever it
 * matters: one that cannot be used anew stays what it was. Files are compared by what they hold;
 * watching folders for changes was rejected, since volumes are switched by links, and some file
 * systems tell nothing.
 */
@NullMarked
package io.watchgate.pem;

import org.jspecify.annotations.NullMarked;
