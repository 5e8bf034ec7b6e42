import { z } from 'zod';
import { hashField } from '../core/fields.ts';
import { chainIdReply, contractAddressReply, tokenIdReply } from '../core/reply-fields.ts';

const HOST = 'https://api.example.com';
const TOKEN = '0x8ba1f109551bd432803012645ac136ddd64dba72/1';
const ISSUER_ID = '3f1c2b5e-7a4d-4f0e-9c8b-2d6e5f4a1b3c';
const DID = `did:web:api.example.com:issuers:${ISSUER_ID}`;
const LIST = `${HOST}/credentials/status/${ISSUER_ID}/0`;
const KEY = 'z6MkmDbwDZ17V48YVVkZ2LuxMJN5Ba76DRVawfjaCM3MjETP';

const text = (description: string, example: string) => z.string().meta({ description, example });
const texts = (description: string, example: string[]) => z.array(z.string()).meta({ description, example });
const url = (description: string, example: string) => text(description, example);

const contexts = z
  .array(z.unknown())
  .meta({ description: 'JSON-LD contexts', example: ['https://www.w3.org/ns/credentials/v2'] });

const proof = z
  .object({
    type: text('Always DataIntegrityProof', 'DataIntegrityProof'),
    cryptosuite: text('Always eddsa-rdfc-2022', 'eddsa-rdfc-2022'),
    verificationMethod: text('The key, in the DID document of the issuer', `${DID}#${KEY}`),
    proofPurpose: text('Always assertionMethod', 'assertionMethod'),
    proofValue: text('The signature, multibase', 'z3FXQjecWufY46yg5abdVZsXqLhxhueuSoZgNSARiKBk9czhSePTFehP8c3PGfb6a'),
  })
  .meta({ id: 'DataIntegrityProof' });

const picture = z
  .object({ id: url('URL of the picture', 'https://example.com/a.png'), type: text('Always Image', 'Image') })
  .meta({ id: 'OpenBadgeImage' });

const token = z
  .object({
    chainId: chainIdReply,
    contractAddress: contractAddressReply,
    tokenId: tokenIdReply,
    metadataHash: hashField.meta({ description: 'SHA-256 of the document, as the contract has it' }),
  })
  .meta({ id: 'CredentialToken' });

const achievement = z
  .object({
    id: url('Id of the achievement', `${HOST}/metadata/${TOKEN}#achievement`),
    type: texts('Always Achievement', ['Achievement']),
    achievementType: text('The trait Type', 'Certification'),
    name: text('Name of the token', 'First aid'),
    description: text('Description of the token, or else its name', 'A course of two days'),
    criteria: z
      .object({ id: url('What was required: its external URL, or else the check', 'https://example.com/first-aid') })
      .meta({ description: 'What was required' }),
    image: picture.optional().meta({ description: 'Picture of the token' }),
  })
  .meta({ id: 'OpenBadgeAchievement' });

/** The credential of a certificate. */
export const credentialSchema = z
  .object({
    '@context': contexts,
    id: url('Its own URL', `${HOST}/certificates/${TOKEN}/credential`),
    type: texts('VerifiableCredential, and OpenBadgeCredential for an Open Badge', ['VerifiableCredential']),
    name: text('Name of the token', 'Watch 1 of 10'),
    issuer: z
      .object({
        id: text('DID of the issuer', DID),
        name: text('Its confirmed name', 'Example Watches').optional(),
        type: texts('Of an Open Badge: Profile', ['Profile']).optional(),
        url: url('Of an Open Badge: its confirmed domain', 'https://watches.example').optional(),
        image: picture.optional().meta({ description: 'Of an Open Badge: its confirmed logo' }),
      })
      .meta({ description: 'Who has issued it' }),
    validFrom: z
      .string()
      .meta({ description: 'When its first mint was confirmed, UTC', example: '2026-11-02T09:30:00.000Z' }),
    validUntil: z.string().optional().meta({
      description: 'valid_until of the document, if that is a moment, UTC',
      example: '2031-11-02T09:30:00.000Z',
    }),
    credentialSubject: z
      .object({
        id: text('The token, by CAIP-19', `eip155:1/erc721:${TOKEN}`),
        type: texts('Of an Open Badge: AchievementSubject', ['AchievementSubject']).optional(),
        name: text('Name of the token', 'Watch 1 of 10').optional(),
        description: text('Description of the token', 'A diver').optional(),
        image: url('Picture of the token', 'https://example.com/a.png').optional(),
        achievement: achievement.optional().meta({ description: 'Of an Open Badge' }),
        token: token.meta({ description: 'The token on its chain' }),
      })
      .meta({ description: 'What is certified; it does not name the holder' }),
    relatedResource: z
      .array(
        z.object({
          id: url('URL of the document, as the contract has it', `${HOST}/metadata/${TOKEN}`),
          digestSRI: text('Its SHA-256', 'sha256-Xl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl4='),
        }),
      )
      .meta({ description: 'The document' }),
    credentialStatus: z
      .object({
        id: url('The bit', `${LIST}#0`),
        type: text('Always BitstringStatusListEntry', 'BitstringStatusListEntry'),
        statusPurpose: text('Always revocation', 'revocation'),
        statusListIndex: text('Index of the bit', '0'),
        statusListCredential: url('The list', LIST),
      })
      .meta({ description: 'Where it says whether it is revoked' }),
    proof: z
      .union([proof, z.array(proof)])
      .meta({ description: 'Signature of the issuer; of an Open Badge a list of one' }),
  })
  .meta({ id: 'CertificateCredential' });

export const statusListSchema = z
  .object({
    '@context': contexts,
    id: url('Its own URL', LIST),
    type: texts('Its types', ['VerifiableCredential', 'BitstringStatusListCredential']),
    issuer: text('DID of the issuer', DID),
    credentialSubject: z
      .object({
        id: url('The list', `${LIST}#list`),
        type: text('Always BitstringStatusList', 'BitstringStatusList'),
        statusPurpose: text('Always revocation', 'revocation'),
        encodedList: text(
          '131,072 bits, compressed by gzip, multibase',
          'uH4sIAAAAAAAAA-3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAIC3AYbSVKsAQAAA',
        ),
      })
      .meta({ description: 'The bits' }),
    proof: proof.meta({ description: 'Signature of the issuer' }),
  })
  .meta({ id: 'StatusListCredential' });

export const issuerDocumentSchema = z
  .object({
    '@context': contexts,
    id: text('DID of the issuer', DID),
    controller: text('DID of this service', 'did:web:api.example.com'),
    verificationMethod: z
      .array(
        z.object({
          id: text('Id of the key', `${DID}#${KEY}`),
          type: text('Always Multikey', 'Multikey'),
          controller: text('DID of the issuer', DID),
          publicKeyMultibase: text('The public Ed25519 key', KEY),
        }),
      )
      .meta({ description: 'All its keys; the first one signs' }),
    assertionMethod: texts('Ids of the keys that sign credentials', [`${DID}#${KEY}`]),
  })
  .meta({ id: 'IssuerDidDocument' });

export const serviceDocumentSchema = z
  .object({
    '@context': contexts,
    id: text('DID of this service', 'did:web:api.example.com'),
    service: z
      .array(
        z.object({
          id: text('Id of the entry', 'did:web:api.example.com#certificates'),
          type: text('Always LinkedDomains', 'LinkedDomains'),
          serviceEndpoint: url('Scheme and host of this service', HOST),
        }),
      )
      .meta({ description: 'Where it is' }),
  })
  .meta({ id: 'ServiceDidDocument' });

const target = z
  .object({
    href: url('Where it leads', `${HOST}/verify/${TOKEN}?chainId=1`),
    title: text('Name of the token', 'Watch 1 of 10'),
    type: text('Media type', 'text/html'),
  })
  .meta({ id: 'LinkTarget' });
const targets = (description: string) => z.array(target).optional().meta({ description });

/** A linkset (RFC 9264). */
export const linksetSchema = z
  .object({
    linkset: z
      .array(
        z.object({
          anchor: url('GS1 Digital Link of the product', `${HOST}/01/09506000134352/21/SN-0001`),
          itemDescription: z.string().meta({ description: 'Name of the newest certificate', example: 'A watch' }),
          'https://ref.gs1.org/voc/defaultLink': targets('The check of the certificate'),
          'https://ref.gs1.org/voc/defaultLinkMulti': targets('The check and the credential, by what is accepted'),
          'https://ref.gs1.org/voc/certificationInfo': targets('The valid certificates'),
          'https://ref.gs1.org/voc/pip': targets('Its page about the product'),
        }),
      )
      .meta({ description: 'One entry: the product' }),
  })
  .meta({ id: 'Linkset' });

export const resolverSchema = z
  .object({
    name: z.string().meta({ description: 'Name of the resolver', example: 'Certificates of products' }),
    resolverRoot: url('Scheme and host of the resolver', HOST),
    supportedPrimaryKeys: z.array(z.literal('01')).meta({ description: 'Application identifiers of GS1: GTIN' }),
    supportedLinkType: z
      .array(
        z.object({
          namespace: url('Where the types of links are defined', 'https://ref.gs1.org/voc/'),
          prefix: z.string().meta({ description: 'What stands for it', example: 'gs1:' }),
        }),
      )
      .meta({ description: 'Types of links that are given' }),
    linkTypeDefaultCanBeLinkset: z.boolean().meta({ description: 'Whether a linkset can be the default link' }),
    contact: z
      .object({ fn: z.string().meta({ description: 'Name', example: 'The operator of this service' }) })
      .meta({ description: 'Who operates it' }),
  })
  .meta({ id: 'ResolverDescription' });
