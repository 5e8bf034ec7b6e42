import { sha256, stringToHex } from 'viem';
import type { Account } from '../../accounts/account.ts';
import { DomainError, invalidInput } from '../../core/domain-error.ts';
import type { FilePart } from '../../core/file-part.ts';
import { newId } from '../../core/record-id.ts';
import type { TenantServices } from '../../services.ts';
import { insertAsset, type Asset } from './assets.store.ts';
import { cleanFileName } from './file-name.ts';
import { extensionOf, HEAD_BYTES, MEDIA_TYPES, mediaTypeOf } from './media-type.ts';
import { bucketUrl, storeObject } from '../../platform/object-store.ts';

/**
 * Stores a file in the object store, then its record. A failed upload leaves no record. A failed insert leaves the
 * object: its URL is unknown to anyone, and the insert may have succeeded with its reply lost.
 * @throws {DomainError} `invalid` for an unsupported media type; `too-large`; `upstream` when the store fails,
 *   `service_unavailable` where there is none; `forbidden` or `unauthenticated` when the account was deactivated, or
 *   the key revoked, while the file arrived.
 */
export async function uploadAsset(services: TenantServices, { fileName, content }: FilePart): Promise<Asset> {
  const { db, account, requireStillAllowed, settings, clock, log } = services;
  const { S3_BUCKET } = settings;
  if (S3_BUCKET === undefined) throw new DomainError('service_unavailable', 'This deployment has no object store');
  const store = { ...settings, S3_BUCKET };

  const bytes = content[Symbol.asyncIterator]();
  try {
    const head = await readHead(bytes);
    const mediaType = mediaTypeOf(head);
    if (mediaType === undefined) {
      const message = head.length === 0 ? 'must not be empty' : `must be one of ${MEDIA_TYPES.join(', ')}`;
      throw invalidInput([{ path: 'file', message }]);
    }
    const now = new Date(clock.now());
    const id = newId(now.getTime());
    const key = `${folderOf(account)}/${id}.${extensionOf(mediaType)}`;
    const sizeBytes = await storeObject(store, { key, mediaType, content: joined(head, bytes) }, log);
    try {
      await requireStillAllowed();
      return await insertAsset(db, {
        id,
        originalFileName: cleanFileName(fileName),
        s3Key: key,
        url: `${settings.ASSET_BASE_URL?.replace(/\/+$/, '') ?? bucketUrl(store)}/${key}`,
        mimeType: mediaType,
        sizeBytes,
        createdAt: now,
        updatedAt: now,
      });
    } catch (error) {
      log.error('asset.insert_failed', { key });
      throw error;
    }
  } catch (error) {
    await bytes.return?.();
    throw error;
  }
}

/**
 * The key prefix of an account's objects. Asset URLs are public and both ids of an account are credentials, so the
 * prefix is a hash of both: knowing one id does not help to guess the other.
 */
function folderOf({ id, corporateId }: Account): string {
  return sha256(stringToHex(`${id}:${corporateId}`)).slice(2, 18);
}

/** The first {@link HEAD_BYTES} or more bytes, or all of a shorter file. */
async function readHead(bytes: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head = new Uint8Array();
  while (head.length < HEAD_BYTES) {
    const { done, value } = await bytes.next();
    if (done === true) break;
    const longer = new Uint8Array(head.length + value.length);
    longer.set(head);
    longer.set(value, head.length);
    head = longer;
  }
  return head;
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
