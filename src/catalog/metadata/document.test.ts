import { describe, expect, it } from 'vitest';
import { certificateInput, flexibleInput, ticketInput } from '../../../test/fixtures/metadata-inputs.ts';
import type { TokenDocument } from '../../platform/database/schema.ts';
import { contentOf, toDocument } from './document.ts';
import { mapTexts } from './document-texts.ts';

describe('contentOf', () => {
  it.each([
    ['a ticket', ticketInput, 'ticket_schema@1.0.0'],
    ['a certificate', certificateInput, 'cert_schema@1.0.0'],
    ['every text', { ...flexibleInput, ...mapTexts(({ schema }) => schema.example) }, 'opensea_flexible@1.0.0'],
  ] as const)('loses nothing of a request for %s', (_, input, version) => {
    const document = toDocument(input, version) as unknown as TokenDocument;
    const { name, imageUrl, utility } = input;
    expect(contentOf(document)).toMatchObject({ name, imageUrl, utility });
    expect(toDocument(contentOf(document), version)).toEqual(document);
  });
});
