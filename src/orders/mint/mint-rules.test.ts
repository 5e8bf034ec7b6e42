import { describe, expect, it } from 'vitest';
import { flexibleInput } from '../../../test/fixtures/metadata-inputs.ts';
import { toDocument } from '../../catalog/metadata/document.ts';
import type { TokenDocument } from '../../platform/database/schema.ts';
import { DomainError } from '../../core/domain-error.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { metadataIssues, mismatches, subjectsOf } from './mint-rules.ts';
import type { MintRecords, MintTarget } from './minting-orders.store.ts';

type Contract = MintRecords['contracts'][number];
type Document = MintRecords['documents'][number];

const contractAddress = lowerCase(`0x${'1'.repeat(40)}`);
const target: MintTarget = { chainId: '43114', contractAddress, tokenId: '7', metadataId: 'a'.repeat(24) };
const contract = (fields: Partial<Contract> = {}): Contract => ({
  id: 'c'.repeat(24),
  chainId: '43114',
  contractAddress,
  ercStandard: '721',
  contractType: 'standard',
  currentOwnerAddress: null,
  registeredAtBlock: null,
  ...fields,
});

const document = (fields: Partial<Document['document']> = {}): Document => ({
  document: {
    id: 'a'.repeat(24),
    chainId: '43114',
    contractAddress: null,
    tokenId: null,
    schemaVersion: 'opensea_flexible@1.0.0',
    standardFields: toDocument(flexibleInput, 'opensea_flexible@1.0.0') as unknown as TokenDocument,
    metadataHash: null,
    ...fields,
  },
  occupantId: null,
  hasUnits: false,
  units: null,
});

const missing = () => new DomainError('contract_not_active', 'Active contract not found: the account has none');

const records = (fields: Partial<MintRecords> = {}): MintRecords => ({
  contracts: [contract()],
  documents: [document()],
  tokens: [],
  ...fields,
});

/** The issues of a mint with this metadata on this contract. */
function mismatchesOf(contractFields: Partial<Contract>, documentFields: Partial<Document['document']>): string[] {
  const found = records({ contracts: [contract(contractFields)], documents: [document(documentFields)] });
  const subjects = subjectsOf(target, found, missing);
  if (subjects instanceof DomainError) throw subjects;
  return mismatches(subjects).map(({ path, message }) => `${path} ${message}`);
}

describe('the records of a mint', () => {
  it('are its contract by chain and address, its metadata and its token', () => {
    const contractId = 'c'.repeat(24);
    const token = { contractId, tokenId: '7', orderId: null, wasMinted: true, document: null };
    const elsewhere = contract({ id: 'e'.repeat(24), chainId: '43113' });
    const found = records({
      contracts: [elsewhere, contract()],
      tokens: [{ ...token, contractId: elsewhere.id }, { ...token, tokenId: '8' }, token],
    });
    expect(subjectsOf(target, found, missing)).toEqual({ contract: contract(), metadata: document(), token });
  });

  it.each([
    ['another account has the contract', { contracts: [] }, 'Active contract'],
    ['the address is that of a forwarder', { contracts: [contract({ ercStandard: 'Forwarder' })] }, 'Active contract'],
    ['the contract is on another chain', { contracts: [contract({ chainId: '43113' })] }, 'Active contract'],
    ['another account has the metadata', { documents: [] }, 'Metadata'],
  ])('are missing where %s', (_, fields, what) => {
    const error = subjectsOf(target, records(fields), missing);
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ kind: 'not-found', message: expect.stringContaining(what) });
  });

  it('do not include metadata if the request has no metadata id', () => {
    const { metadataId: _, ...withoutMetadata } = target;
    expect(subjectsOf(withoutMetadata, records(), missing)).toMatchObject({ metadata: undefined });
  });
});

describe('metadata and a contract', () => {
  const hash = `0x${'ab'.repeat(32)}` as const;

  it.each([
    ['a standard contract and an ordinary document', {}, {}],
    ['a certificate contract and a certificate', { contractType: 'certificate' as const }, { metadataHash: hash }],
  ])('match: %s', (_, contractFields, documentFields) => {
    expect(mismatchesOf(contractFields, documentFields)).toEqual([]);
  });

  it('do not match on different chains', () => {
    expect(mismatchesOf({}, { chainId: '43113' })).toEqual(['metadataId is metadata for chain 43113, not 43114']);
  });

  it('do not match if only one is a certificate', () => {
    expect(mismatchesOf({ contractType: 'certificate' }, {})).toEqual([
      'metadataId must be metadata of type Certificate, not Flexible',
    ]);
    expect(mismatchesOf({}, { metadataHash: hash })).toEqual([
      expect.stringContaining('metadataId must not be metadata of type Certificate'),
    ]);
  });

  it('report every mismatch at once', () => {
    expect(mismatchesOf({ contractType: 'certificate' }, { chainId: '43113' })).toHaveLength(2);
  });
});

describe('the second validation of stored metadata', () => {
  it('accepts what its schema allows', () => {
    expect(metadataIssues(document().document)).toEqual([]);
  });

  it('rejects what its schema does not allow', () => {
    const { standardFields } = document().document;
    const invalid = document({ standardFields: { ...standardFields, name: '' } }).document;
    expect(metadataIssues(invalid).map(({ path }) => path)).toEqual(['$.name']);
  });

  it('rejects a document whose schema version does not exist', () => {
    expect(metadataIssues(document({ schemaVersion: 'opensea_flexible@9.0.0' }).document)).toEqual([
      { path: '$.schemaVersion', message: expect.stringContaining('opensea_flexible@9.0.0') },
    ]);
  });
});
