// What the package is to its users.
export type * from './api.ts';
export { createClient, type Client, type ClientOptions } from './create-client.ts';
export * from './errors.ts';
export type { List, RequestOptions, WriteOptions } from './operation.ts';
export * from './typed-data.ts';
export * from './verify-webhook.ts';
export type { WaitForImport } from './wait-for-import.ts';
export {
  OrderFailedError,
  WaitTimeoutError,
  type Done,
  type Order,
  type WaitFor,
  type WaitOptions,
} from './wait-for-order.ts';
