// Server of the contract whose answers a test writes.
import { Metadata, Server, ServerCredentials } from "@grpc/grpc-js";
import { internal } from "./support.mjs";

const { create, fromBinary, toBinary } = await import("@bufbuild/protobuf");
const { ListAndWatchRequestSchema, ListAndWatchResponseSchema } = await internal("gen/watchgate/v1/watch_pb.js");

/** Position of a response: `{ ...at("7"), signal: … }`. */
export const at = (version) => ({ resourceVersion: version, resumeToken: new TextEncoder().encode(version) });

/** Responses of a stream that begins with an empty snapshot. */
export const SNAPSHOT = [
  { signal: { case: "opened", value: { streamId: "scripted" } } },
  { signal: { case: "snapshotStarted", value: {} } },
  { ...at("1"), signal: { case: "synced", value: {} } },
];

/** Starts a server; `answer` gets each watch: its request, its metadata, and `send`, `fail` and `end`. */
export async function startScripted(t, answer, credentials = ServerCredentials.createInsecure()) {
  const server = new Server();
  const method = {
    path: "/watchgate.v1.WatchService/ListAndWatch",
    requestStream: false,
    responseStream: true,
    requestDeserialize: (bytes) => fromBinary(ListAndWatchRequestSchema, bytes),
    responseSerialize: (response) => Buffer.from(toBinary(ListAndWatchResponseSchema, create(ListAndWatchResponseSchema, response))),
  };
  server.addService(
    { ListAndWatch: method },
    {
      ListAndWatch: (call) =>
        answer({
          request: call.request,
          metadata: call.metadata,
          send: (...responses) => responses.forEach((response) => call.write(response)),
          fail: (code, reason, action) => {
            const metadata = new Metadata();
            if (reason) metadata.set("watchgate-reason", reason);
            if (action) metadata.set("watchgate-action", action);
            call.emit("error", { code, details: `it was ${reason || code}`, metadata });
          },
        }),
    },
  );
  const port = await new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  t.after(() => server.forceShutdown());
  return { address: `127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}
