import { RpcError } from "./transport.js";

const LONGEST = 64 * 1024 * 1024; // bytes: above all that a gateway sends; a damaged length may be up to 4 GiB
const HEAD = 5; // bytes: flags and length

/** Frame of gRPC. */
export interface Frame {
  readonly flags: number;
  readonly content: Uint8Array;
}

/** Part of a body that is read, as a reader of a stream returns it. */
export interface Part {
  readonly done: boolean;
  readonly value?: Uint8Array | undefined;
}

/** Reader of the frames of a body that arrives in parts of any size. */
export class FrameReader {
  readonly #read: () => Promise<Part>;
  #parts: Uint8Array[] = [];
  #length = 0;

  /** `read` returns the next part of the body. */
  constructor(read: () => Promise<Part>) {
    this.#read = read;
  }

  /** Returns the next frame, undefined after the last one. Drops a last frame that is not complete. Throws RpcError for a longer one than 64 MiB. */
  async next(): Promise<Frame | undefined> {
    if (!(await this.#fill(HEAD))) return undefined;
    const head = this.#take(HEAD);
    const length = new DataView(head.buffer, head.byteOffset).getUint32(1);
    if (length > LONGEST) throw new RpcError("INTERNAL", `the answer has a frame of ${length} bytes, which a gateway never sends`);
    if (!(await this.#fill(length))) return undefined;
    return { flags: head[0]!, content: this.#take(length) };
  }

  async #fill(length: number): Promise<boolean> {
    while (this.#length < length) {
      const { done, value } = await this.#read();
      if (done || !value) return false;
      this.#parts.push(value);
      this.#length += value.length;
    }
    return true;
  }

  /** Returns bytes that have arrived. Each part is copied once, whatever the number of parts. */
  #take(length: number): Uint8Array {
    const taken = new Uint8Array(length);
    let at = 0;
    let used = 0;
    while (at < length) {
      const part = this.#parts[used]!;
      const piece = part.subarray(0, length - at);
      taken.set(piece, at);
      at += piece.length;
      if (piece.length < part.length) {
        this.#parts[used] = part.subarray(piece.length);
        break;
      }
      used++;
    }
    this.#parts.splice(0, used);
    this.#length -= length;
    return taken;
  }
}
