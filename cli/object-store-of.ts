import type { ObjectStoreSettings } from '../src/platform/object-store.ts';
import type { AccountTarget } from './account-target.ts';

/** Where a deployment has uploaded files; undefined: its settings do not say. */
export function objectStoreOf({ stores, settings }: AccountTarget): ObjectStoreSettings | undefined {
  const { S3_BUCKET: bucket = '', S3_ENDPOINT: endpoint = '' } = settings;
  if (bucket === '') return undefined;
  return { ...stores.secrets, S3_BUCKET: bucket, S3_ENDPOINT: endpoint === '' ? undefined : endpoint };
}
