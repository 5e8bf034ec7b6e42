import { getAddress } from 'viem';
import { z } from 'zod';
import { addressField, nameField, textField, urlField } from '../../core/fields.ts';
import type { CollectionDocument } from '../../platform/database/schema.ts';

/** The most collaborators. */
const MAX_COLLABORATORS = 50;

const picture = (description: string, name: string) =>
  urlField('media')
    .optional()
    .meta({ description, example: `https://example.com/${name}.png` });

/** The body of PUT /contracts/{id}/metadata: the fields of ERC-7572 (https://eips.ethereum.org/EIPS/eip-7572). */
export const collectionInput = z
  .strictObject({
    name: nameField(200).meta({ description: 'Name of the collection', example: 'Opening nights' }),
    symbol: nameField(32).optional().meta({ description: 'Its symbol', example: 'TIX' }),
    description: textField(10_000)
      .optional()
      .meta({ description: 'About the collection', example: 'Tickets of the season.' }),
    imageUrl: picture('URL of its picture, shown small', 'logo'),
    bannerImageUrl: picture('URL of a wide picture, shown above the tokens', 'banner'),
    featuredImageUrl: picture('URL of a square picture for where marketplaces feature it', 'featured'),
    externalUrl: urlField('page')
      .optional()
      .meta({ description: 'URL of a page about the collection', example: 'https://example.com/tickets' }),
    collaborators: z
      .array(addressField.transform((address) => getAddress(address)))
      .max(MAX_COLLABORATORS)
      .optional()
      .meta({
        description: 'Wallets that marketplaces may let edit how they show the collection (ERC-7572)',
        example: ['0x8ba1f109551bD432803012645Ac136ddd64DBA72'],
      }),
  })
  .meta({ id: 'ReplaceCollectionMetadata' });

export type CollectionInput = z.output<typeof collectionInput>;

/** What a collection says, in the form of ERC-7572. */
export function collectionDocument(input: CollectionInput): CollectionDocument {
  const { imageUrl, bannerImageUrl, featuredImageUrl, externalUrl, ...same } = input;
  return withoutUndefined({
    ...same,
    image: imageUrl,
    banner_image: bannerImageUrl,
    featured_image: featuredImageUrl,
    external_link: externalUrl,
  });
}

/** What a collection says, with the names of requests: the reverse of {@link collectionDocument}. */
export function collectionContent(document: CollectionDocument) {
  return {
    name: document.name,
    symbol: document.symbol ?? null,
    description: document.description ?? null,
    imageUrl: document.image ?? null,
    bannerImageUrl: document.banner_image ?? null,
    featuredImageUrl: document.featured_image ?? null,
    externalUrl: document.external_link ?? null,
    collaborators: document.collaborators ?? [],
  };
}

function withoutUndefined(values: { [Key in keyof CollectionDocument]: CollectionDocument[Key] | undefined }) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only what is undefined is left out
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as unknown as CollectionDocument;
}
