import type { ApiDocument } from '../site/api-document.ts';
import { orderKinds } from './order-kinds.ts';
import { typesOfSchemas } from './types-of-schemas.ts';

/** What pages read. */
const READ = [
  // The console.
  ...'ServiceStatus OrderSearch OrderStory OrderStatistics Wallets WebhookHealth AccountList AccountDetail'.split(' '),
  // The page of a collection.
  ...'Collection CollectionFacts CollectionTokens'.split(' '),
  // The portal, besides orders.
  ...'WebhookDeliveryWithPayload ReplayedWebhookDeliveries Metadata MetadataVersion CollectionMetadata'.split(' '),
  ...'NewKey Approval ApprovalSetting AuditEntry Claim NewClaim Import ListedImport Holding'.split(' '),
  // The page of a claim.
  'LinkedClaim',
];

/** The source of src/pages/shared/api-types.ts: the replies that pages read, as types. */
export async function pageTypes(document: ApiDocument): Promise<string> {
  const { components } = document;
  const schemas: Record<string, unknown> = {};
  const add = (name: string) => {
    const found = components.schemas[name];
    if (found === undefined) throw new Error(`The API document has no schema ${name}`);
    // The order of a story is that of any kind: the console reads it by name.
    const order = name === 'OrderStory' ? { order: { type: 'object', additionalProperties: true } } : {};
    const text = JSON.stringify({ ...found, properties: { ...found.properties, ...order } }, withoutComments);
    schemas[name] = JSON.parse(text);
    for (const [, inner = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (!(inner in schemas)) add(inner);
    }
  };
  for (const name of [...READ, ...orderKinds(document).map(({ reply }) => reply)]) add(name);
  return `// Generated from the API document: npm run api:types\n${await typesOfSchemas(schemas)}`;
}

const PROSE = new Set(['description', 'pattern', 'format', 'default']);
const withoutComments = (key: string, value: unknown) =>
  key === 'example' || (PROSE.has(key) && typeof value === 'string') ? undefined : value;
