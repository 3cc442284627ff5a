/**
 * The one reader of certificates and private keys in PEM, for the client, the gateway towards the
 * apiserver and the gateway towards its own clients.
 *
 * <p><b>Idea.</b> Files are replaced while the process runs. {@link io.watchgate.pem.ReloadingPem}
 * reads them again each time they are needed and compares their content: file times are too coarse,
 * and a mounted volume switches a link. A replacement that cannot be used is logged, and the
 * previous content stays in use. {@link io.watchgate.pem.PemKeyManager} and {@link
 * io.watchgate.pem.PemTrustManager} do so for each handshake of a client.
 *
 * <p><b>Threads.</b> All classes are thread-safe.
 *
 * <p><b>Bounds.</b> Each file is held once as text and once parsed.
 *
 * <p><b>Rejected.</b> Watching folders: some file systems report no changes.
 */
@NullMarked
package io.watchgate.pem;

import org.jspecify.annotations.NullMarked;
