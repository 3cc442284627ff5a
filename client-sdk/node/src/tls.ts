import { readFileSync } from "node:fs";
import { type ChannelCredentials, credentials } from "@grpc/grpc-js";

/** Files of TLS, all in the form PEM. They are read again for each stream and call; while one cannot be used, the content before stays in use. */
export interface TlsOptions {
  /** Certificates of the authorities that sign the gateway's; by default those of Node. */
  readonly caFile?: string;
  /** Certificate of this client, with `keyFile`. */
  readonly certificateFile?: string;
  /** Key of this client's certificate. */
  readonly keyFile?: string;
  /** Name that the gateway's certificate must have; by default the host. */
  readonly serverName?: string;
}

/** Credentials of the present contents of files. */
export class TlsFiles {
  readonly #options: TlsOptions;
  #content = "";
  #credentials: ChannelCredentials;

  /** Throws the error of a file that cannot be used. */
  constructor(options: TlsOptions) {
    if (!options.certificateFile !== !options.keyFile) throw new TypeError("certificateFile and keyFile belong together");
    this.#options = options;
    this.#credentials = this.#read();
  }

  /** Returns the credentials: the same ones, as long as the files are equal or cannot be used. */
  current(): ChannelCredentials {
    try {
      this.#credentials = this.#read();
    } catch {
      // A file is being replaced.
    }
    return this.#credentials;
  }

  #read(): ChannelCredentials {
    const { caFile, certificateFile, keyFile } = this.#options;
    const [ca, certificate, key] = [caFile, certificateFile, keyFile].map((file) => (file === undefined ? null : readFileSync(file)));
    if (ca && !ca.includes("-----BEGIN CERTIFICATE-----")) throw new TypeError(`${caFile} has no certificate in the form PEM`);
    const content = [ca, certificate, key].map((file) => file?.toString("base64") ?? "").join();
    if (content === this.#content) return this.#credentials;
    const created = credentials.createSsl(ca, key, certificate);
    this.#content = content;
    return created;
  }
}
