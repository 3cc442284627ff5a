// Exports that the entry points for Node and for browsers have in common.
export { type CallOptions, Client, type ObjectList, type ReflectOptions, type UpdatesOptions, type WatchOptions } from "./client.js";
export { type Action, type Failure, WatchgateError } from "./errors.js";
export type { ExpiredPolicy } from "./follower.js";
export type { ResourceType } from "./resource-type.js";
export type { Selection, View } from "./selection.js";
export { type Difference, type Indexes, Store, type WaitOptions } from "./store.js";
export {
  type Bookmark,
  Change,
  type Changes,
  type ChangeType,
  type Interrupted,
  type NetEffect,
  type Position,
  type Received,
  type Resumed,
  type Snapshot,
  type Update,
} from "./updates.js";
