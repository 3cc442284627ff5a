/**
 * Reader of certificates and private keys in PEM, for the client, the gateway's connection to the
 * apiserver and the gateway's own server.
 *
 * <p><b>Idea.</b> Files are replaced while the process runs. {@link io.watchgate.pem.ReloadingPem}
 * reads them again on each use and compares their content: file times are too coarse, and a mounted
 * volume switches a link. If a replacement cannot be used, the problem is logged and the previous
 * content stays in use. {@link io.watchgate.pem.PemKeyManager} and {@link
 * io.watchgate.pem.PemTrustManager} do so for each handshake of a client.
 *
 * <p><b>Threads.</b> All classes are thread-safe.
 *
 * <p><b>Bounds.</b> Each file is stored once as text and once parsed.
 *
 * <p><b>Rejected.</b> Watching folders: some file systems report no changes.
 */
@NullMarked
package io.watchgate.pem;

import org.jspecify.annotations.NullMarked;
