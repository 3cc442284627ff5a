/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Gateway within the process, for tests of programs that watch.
 *
 * @module
 */
import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  status,
} from "@grpc/grpc-js";
import {
  EventType,
  type ListAndWatchRequest,
  ListAndWatchRequestSchema,
  ListAndWatchResponseSchema,
  type ListObjectsRequest,
  ListObjectsRequestSchema,
  ListObjectsResponseSchema,
  ListResourceTypesRequestSchema,
  ListResourceTypesResponseSchema,
  type Selection,
  type WatchEvent,
  WatchEventSchema,
} from "./gen/watchgate/v1/watch_pb.js";
import { SERVICE } from "./transport.js";
import { keyOf } from "./updates.js";

const PAGE = 100; // objects
const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** Error of a call. */
interface Refusal {
  readonly code: status;
  readonly reason: string;
  readonly action: string;
  readonly details: string;
}

type WatchCall = ServerWritableStream<ListAndWatchRequest, MessageInitShape<typeof ListAndWatchResponseSchema>>;

/**
 * Gateway whose objects a test sets: the same ones for every type that is asked for. Namespaces are applied; selectors are refused.
 *
 * `const gateway = await FakeGateway.start(); const client = connect(gateway.address);`
 */
export class FakeGateway {
  readonly #server = new Server();
  readonly #objects = new Map<string, WatchEvent>();
  readonly #history: (WatchEvent | undefined)[] = []; // its element N is the change to version N + 1; undefined: a version without one
  readonly #streams = new Set<Follow>();
  #oldest = 0; // version of the oldest token that resumes
  #refusal: Refusal | undefined;
  #address = "";

  private constructor() {
    this.#server.addService(
      {
        ListAndWatch: method("ListAndWatch", true, ListAndWatchRequestSchema, ListAndWatchResponseSchema),
        ListObjects: method("ListObjects", false, ListObjectsRequestSchema, ListObjectsResponseSchema),
        ListResourceTypes: method("ListResourceTypes", false, ListResourceTypesRequestSchema, ListResourceTypesResponseSchema),
      },
      {
        ListAndWatch: (call: WatchCall) => this.#listAndWatch(call),
        ListObjects: (call: ServerUnaryCall<ListObjectsRequest, unknown>, answer: sendUnaryData<unknown>) => this.#listObjects(call, answer),
        ListResourceTypes: (_: unknown, answer: sendUnaryData<unknown>) => this.#listTypes(answer),
      },
    );
  }

  /** Starts a gateway at a free port of the loopback address. */
  static async start(): Promise<FakeGateway> {
    const gateway = new FakeGateway();
    const port = await new Promise<number>((resolve, reject) => {
      gateway.#server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    gateway.#address = `127.0.0.1:${port}`;
    return gateway;
  }

  /** HOST:PORT. */
  get address(): string {
    return this.#address;
  }

  /** Number of streams that are open. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** Ends all streams and connections. */
  close(): void {
    this.#server.forceShutdown();
  }

  /** Closes the gateway at the end of a block with `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Creates or changes an object, whose JSON is `value`; returns its resourceVersion. */
  put(namespace: string, name: string, value: unknown): string {
    const before = this.#objects.get(keyOf(namespace, name));
    const type = before ? EventType.MODIFIED : EventType.ADDED;
    const uid = before?.key?.uid ?? `uid-${this.#history.length}`;
    this.#objects.set(keyOf(namespace, name), this.record(type, { namespace, name, uid }, ENCODER.encode(JSON.stringify(value))));
    return this.#version();
  }

  /** Deletes an object; returns the resourceVersion of the deletion. Throws RangeError if there is none. */
  delete(namespace: string, name: string): string {
    const last = this.#objects.get(keyOf(namespace, name));
    if (!last?.key) throw new RangeError(`there is no ${keyOf(namespace, name)}`);
    this.#objects.delete(keyOf(namespace, name));
    this.record(EventType.DELETED, last.key, bodyOf(last));
    return this.#version();
  }

  /** Ends all streams as a connection that breaks: clients resume. */
  cut(): void {
    const broken = { code: status.UNAVAILABLE, reason: "", action: "", details: "the connection was cut" };
    for (const stream of this.#streams) stream.end(this.#refusal ?? broken);
  }

  /** Makes all present tokens expire: streams that resume with one begin with a snapshot. Open streams go on. */
  expireTokens(): void {
    this.#history.push(undefined); // so that a token of the present state expires, too
    this.#oldest = this.#history.length;
  }

  /** Ends all streams and refuses calls from now on with PERMISSION_DENIED, as ACCESS_DENIED does. An empty reason ends this. */
  refuse(reason: string, action: "RESUME" | "RESTART" | "STOP" = "STOP"): void {
    this.#refusal = reason ? { code: status.PERMISSION_DENIED, reason, action, details: `refused with ${reason}` } : undefined;
    this.cut();
  }

  /** @internal */
  record(type: EventType, key: { namespace: string; name: string; uid: string }, body: Uint8Array): WatchEvent {
    const resourceVersion = String(this.#history.length + 1);
    const event = create(WatchEventSchema, { type, key, resourceVersion, body: { case: "object", value: body } });
    this.#history.push(event);
    for (const stream of this.#streams) stream.send();
    return event;
  }

  #version(): string {
    return String(this.#history.length);
  }

  #refusalOf(selection: Selection | undefined): Refusal | undefined {
    if (selection?.labelSelector || selection?.fieldSelector) {
      return { code: status.INVALID_ARGUMENT, reason: "SELECTOR_INVALID", action: "STOP", details: "FakeGateway reads no objects" };
    }
    return this.#refusal;
  }

  #snapshot(selection: Selection | undefined): WatchEvent[] {
    const selected = [...this.#objects.values()].filter((event) => selects(selection, event));
    return selected.map((event) => create(WatchEventSchema, { ...event, type: EventType.ADDED }));
  }

  #listObjects({ request }: ServerUnaryCall<ListObjectsRequest, unknown>, answer: sendUnaryData<unknown>): void {
    const refusal = this.#refusalOf(request.selection);
    if (refusal) return answer(errorOf(refusal));
    const objects = this.#snapshot(request.selection);
    const start = Number(DECODER.decode(request.pageToken));
    const end = start + PAGE;
    const hasMore = end < objects.length;
    answer(null, {
      objects: objects.slice(start, end),
      nextPageToken: ENCODER.encode(hasMore ? String(end) : ""),
      resumeToken: ENCODER.encode(hasMore ? "" : this.#version()),
      resourceVersion: this.#version(),
      totalObjects: BigInt(objects.length),
    });
  }

  #listTypes(answer: sendUnaryData<unknown>): void {
    const refusal = this.#refusalOf(undefined);
    if (refusal) return answer(errorOf(refusal));
    const pods = {
      resourceType: { version: "v1", resource: "pods" },
      kind: "Pod",
      namespaced: true,
      synced: true,
      objects: BigInt(this.#objects.size),
      shortNames: ["po"],
    };
    answer(null, { types: [pods] });
  }

  #listAndWatch(call: WatchCall): void {
    const { selection, start } = call.request;
    const refusal = this.#refusalOf(selection);
    if (refusal) {
      call.emit("error", errorOf(refusal));
      return;
    }
    call.write({ signal: { case: "opened", value: { streamId: "fake" } } });
    const token = start.case === "resumeToken" ? DECODER.decode(start.value) : "";
    const isResumed = token !== "" && Number(token) >= this.#oldest;
    const at = isResumed ? Number(token) : this.#history.length;
    if (isResumed) {
      call.write({ ...positionOf(at), signal: { case: "resumed", value: {} } });
    } else {
      const events = this.#snapshot(selection);
      call.write({ signal: { case: "snapshotStarted", value: {} } });
      for (const event of events) call.write({ events: [event] });
      call.write({ ...positionOf(at), signal: { case: "synced", value: { objects: BigInt(events.length) } } });
    }
    const stream = new Follow(call, this.#history, at);
    this.#streams.add(stream);
    for (const end of ["cancelled", "close", "error"]) call.on(end, () => this.#streams.delete(stream));
    stream.send();
  }
}

/** Stream that follows the history. */
class Follow {
  constructor(
    private readonly call: WatchCall,
    private readonly history: readonly (WatchEvent | undefined)[],
    private at: number,
  ) {}

  /** Sends the changes that it has not sent. */
  send(): void {
    for (const event of this.history.slice(this.at)) {
      this.at++;
      if (event === undefined) continue;
      this.call.write({ ...positionOf(this.at), events: selects(this.call.request.selection, event) ? [event] : [] });
    }
  }

  end(refusal: Refusal): void {
    this.call.emit("error", errorOf(refusal));
  }
}

function method<Q extends DescMessage, A extends DescMessage>(name: string, responseStream: boolean, request: Q, answer: A) {
  return {
    path: SERVICE + name,
    requestStream: false as const,
    responseStream,
    requestSerialize: (message: MessageShape<Q>) => Buffer.from(toBinary(request, message)),
    requestDeserialize: (bytes: Buffer) => fromBinary(request, bytes),
    responseSerialize: (message: MessageInitShape<A>) => Buffer.from(toBinary(answer, create(answer, message))),
    responseDeserialize: (bytes: Buffer) => fromBinary(answer, bytes),
  };
}

function bodyOf(event: WatchEvent): Uint8Array {
  return event.body.case === "object" ? event.body.value : new Uint8Array();
}

/** Returns the position of a version; 0 is the state before the first change. */
function positionOf(version: number) {
  return { resourceVersion: String(version), resumeToken: ENCODER.encode(String(version)) };
}

function selects(selection: Selection | undefined, event: WatchEvent): boolean {
  const namespaces = selection?.namespaces ?? [];
  return namespaces.length === 0 || namespaces.includes(event.key?.namespace ?? "");
}

function errorOf({ code, reason, action, details }: Refusal) {
  const metadata = new Metadata();
  if (reason) metadata.set("watchgate-reason", reason);
  if (action) metadata.set("watchgate-action", action);
  return { name: "Error", message: details, code, details, metadata };
}
