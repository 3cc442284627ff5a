/**
 * The embedded apiserver's objects and its write side: what a kube-apiserver does with a POST, PUT,
 * PATCH or DELETE, over caches that it owns, in memory. It implements {@link
 * io.watchgate.http.ResourceCatalog} and {@link io.watchgate.http.WriteBackend} and knows nothing
 * of HTTP.
 *
 * <p><b>Idea.</b> {@code ObjectStore} is the one order of all writes, as etcd has it: one lock, one
 * version counter over all types. A write is worked out on a tree of JSON under that lock ({@code
 * Creation}, {@code UpdateHandler}, {@code DeleteHandler}), with what is particular to a type in
 * its {@code TypeRules}; its bytes are made once, and published in the type's {@link
 * io.watchgate.cache.LocalCache}. A type that is shown in several versions has a cache for each.
 *
 * <p>Bodies are JSON, YAML or, as client-go sends it for built-in types, protobuf ({@code wire});
 * {@code schema} says what a built-in type has, {@code patch} applies patches.
 *
 * <p><b>Threads.</b> Any number write; they take turns. Readers have the caches, which take no
 * lock; only a consistent read takes it, for a moment, to learn the present version. Upkeep (events
 * expire, quiet types are said to be up to date) runs on the caller's timer, under the lock.
 *
 * <p><b>Bounds.</b> The bytes of all objects, beyond which writes are refused with 507; history as
 * in every cache; events go after an hour; nesting of bodies.
 *
 * <p><b>What differs from a kube-apiserver.</b> There are no users, no admission plugins but the
 * fixed ones (a namespace must exist and live), no managedFields and no server-side apply. There
 * are no warnings of unknown fields, only their refusal with fieldValidation=Strict, and a Scale is
 * written, not read. Validation is that of the checks which people meet: names, labels, what is
 * required, what may not change; quantities, for one, are taken as they come. The schemas of custom
 * resources are kept, not applied. What controllers of a cluster would do to end a deletion is done
 * at once: the objects of a namespace go with it, pods without grace, those of a definition as
 * well; but finalizers are waited for. Owners that go leave their dependents, as where no garbage
 * collector runs, whatever the propagationPolicy. A new definition is served when its POST is
 * answered.
 *
 * <p><b>Rejected.</b> A lock for each type, or optimistic writes that try again: a global order
 * would need another lock inside, and a write takes some tens of microseconds. Classes for the
 * types: what is not known would be lost, and most of a type is nobody's concern here.
 */
@NullMarked
package io.watchgate.sandbox;

import org.jspecify.annotations.NullMarked;
