import { DomainError } from '../../core/domain-error.ts';
import type { Metadata } from './metadata.store.ts';

/** The refusal of a change that the document's state does not allow. The reply has that state. */
export function refusedChange({ currentStatus, version }: Metadata, message: string): DomainError {
  return new DomainError('conflict', message, undefined, { state: { currentStatus, version } });
}

/** The refusal of a change of a certificate. */
export function refusedCertificate(document: Metadata): DomainError {
  return refusedChange(document, 'The metadata of a certificate never changes');
}
