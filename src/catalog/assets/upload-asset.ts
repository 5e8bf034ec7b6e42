import { sha256, stringToHex } from 'viem';
import type { Account } from '../../accounts/account.ts';
import { requireActive } from '../../accounts/require-active.ts';
import { DomainError, invalidInput } from '../../core/domain-error.ts';
import type { FilePart } from '../../core/file-part.ts';
import { newId } from '../../core/ids.ts';
import type { TenantServices } from '../../services.ts';
import { insertAsset } from './assets.store.ts';
import type { Asset } from './assets.store.ts';
import { cleanFileName } from './file-name.ts';
import { extensionOf, HEAD_BYTES, MEDIA_TYPES, mediaTypeOf } from './media-type.ts';
import { bucketUrl, storeObject } from '../../platform/object-store.ts';

/**
 * Stores a file in the object store, then its record: a file that fails leaves no record. Where the record fails, the
 * object stays: nobody knows its address, and a record that was written after all must not lose its object.
 * @throws {DomainError} `invalid` for a file that no token can show; `too-large`; `upstream` when the store fails;
 *   `forbidden` when the account was shut while the file arrived.
 */
export async function uploadAsset(services: TenantServices, { fileName, content }: FilePart): Promise<Asset> {
  const { db, account, accounts, settings, clock, log } = services;
  const { S3_BUCKET } = settings;
  if (S3_BUCKET === undefined) throw new DomainError('upstream', 'This service has no object store');
  const store = { ...settings, S3_BUCKET };

  const bytes = content[Symbol.asyncIterator]();
  try {
    const head = await headOf(bytes);
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
      await requireActive(accounts, account.id);
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
      log.error('asset.without_record', { key });
      throw error;
    }
  } catch (error) {
    await bytes.return?.();
    throw error;
  }
}

/**
 * Groups an account's objects. An asset's address is public, and either id of the account is a credential: what both are
 * hashed into together tells nothing of one to who guesses the other.
 */
function folderOf({ id, corporateId }: Account): string {
  return sha256(stringToHex(`${id}:${corporateId}`)).slice(2, 18);
}

async function headOf(bytes: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
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
