/**
 * Objects and write side of the embedded apiserver: it handles POST, PUT, PATCH and DELETE like a
 * kube-apiserver, over in-memory caches that it owns. It implements {@link
 * io.watchgate.http.ResourceCatalog} and {@link io.watchgate.http.WriteBackend}, and does not
 * depend on HTTP.
 *
 * <p><b>Idea.</b> {@code ObjectStore} is the total order of all writes, as in etcd: one lock, and
 * one version counter for all types. {@code CreateHandler}, {@code UpdateHandler} and {@code
 * DeleteHandler} compute a write on a JSON tree under that lock. A {@code TypeStrategy} has the
 * type-specific behavior. The bytes are encoded once and published in the type's {@link
 * io.watchgate.cache.LocalCache}. A type that is served in several versions has a cache for each
 * version.
 *
 * <p>Bodies are JSON, YAML or protobuf, which client-go sends for built-in types ({@code
 * protobuf}). {@code schema} defines the fields of the built-in types, and {@code patch} applies
 * patches.
 *
 * <p><b>Threads.</b> Any number of threads may write; the lock serializes them. Readers use the
 * caches without a lock. Only a consistent read takes the lock briefly, to get the current version.
 * Maintenance (removing expired events, advancing the version of unchanged types) runs on the
 * caller's timer, under the lock.
 *
 * <p><b>Bounds.</b> The bytes of all objects: a write that would exceed the limit gets 507. The
 * history, as in every cache. Events: removed after an hour. The nesting of bodies.
 *
 * <p><b>Differences from a kube-apiserver.</b> There are no users, no managedFields and no
 * server-side apply. There are no admission plugins except the fixed ones (a namespace must exist
 * and must not be terminating). Unknown fields cause no warnings; they are refused with
 * fieldValidation=Strict. A Scale can be written, but not read. Validation covers the common
 * errors: names, labels, required fields and immutable fields. Quantities, for example, are not
 * checked. The schemas of custom resources are stored, but not applied. Work of a cluster's
 * controllers that completes a deletion is done at once. The objects of a namespace are removed
 * with it, pods without grace, and likewise the objects of a definition; but finalizers delay the
 * removal. Dependents of a removed owner stay, as without a garbage collector, whatever the
 * propagationPolicy. A new definition's type is served when its POST is answered.
 *
 * <p><b>Rejected.</b> A lock for each type, or optimistic writes with retries: a total order would
 * still need a lock inside, and a write takes only some tens of microseconds. Java classes for the
 * types: unknown fields would be lost, and the sandbox does not use most fields.
 */
@NullMarked
package io.watchgate.sandbox;

import org.jspecify.annotations.NullMarked;
