/**
 * The Kubernetes read protocol over HTTP: discovery, get, list and watch, answered from {@link
 * io.watchgate.cache.WatchCache}s as a kube-apiserver answers, so that kubectl and existing
 * informers can be pointed at it unchanged. Where the objects come from is a {@link
 * io.watchgate.http.Catalog}'s matter; what is not a read goes to {@link io.watchgate.http.Writes}
 * if there is one, and is refused otherwise. Nothing here knows who owns the objects.
 */
@NullMarked
package io.watchgate.http;

import org.jspecify.annotations.NullMarked;
