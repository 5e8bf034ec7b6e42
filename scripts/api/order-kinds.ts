import { eventsOf, bodyOf, operationsOf, type ApiDocument, type Operation } from '../site/api-document.ts';

/** A kind of order, as the API document has it: orders of a kind are those that one operation cancels. */
export interface DescribedKind {
  /** The name of its reply. */
  readonly reply: string;
  /** In words. */
  readonly title: string;
  /** `<path>/{id}` reads an order, `<path>/cancel` cancels one. */
  readonly path: string;
  /** Null: there is no list of them. */
  readonly list: { readonly hasContract: boolean; readonly addressFilter: string | null } | null;
  /** Whether `<path>/by-tx/{txHash}` finds one. */
  readonly hasByTransaction: boolean;
  /** What the types of its events begin with. */
  readonly events: readonly string[];
  /** The operation that reads one. */
  readonly read: string;
  /** A field that no other kind's reply has. */
  readonly mark: string;
}

const SCHEMA = '#/components/schemas/';

/** @throws if a kind has no reply of its own, or none that tells it from others. */
export function orderKinds(document: ApiDocument): DescribedKind[] {
  const operations = operationsOf(document);
  const cancelled = operations.flatMap((operation) => {
    const path = /^(.+)\/cancel$/.exec(operation.path)?.[1];
    const isOrder = bodyOf(operation)?.schema?.$ref === `${SCHEMA}CancelOrder`;
    return path !== undefined && isOrder ? [{ path, operation, reply: replyOf(operation) }] : [];
  });
  const fieldsOf = (reply: string) => Object.keys(document.components.schemas[reply]?.properties ?? {});
  return cancelled.map(({ path, operation, reply }) => {
    const of = (suffix: string) => operations.find((other) => other.method === 'get' && other.path === path + suffix);
    const others = new Set(cancelled.flatMap((other) => (other.reply === reply ? [] : fieldsOf(other.reply))));
    const fields = fieldsOf(reply);
    return {
      reply,
      title: operation.summary.replace('Cancel: ', ''),
      path,
      list: listOf(of('')),
      hasByTransaction: of('/by-tx/{txHash}') !== undefined,
      events: eventsWith(document, reply),
      read: found(reply, of('/{id}')).operationId,
      mark: found(
        reply,
        fields.find((field) => !others.has(field)),
      ),
    };
  });
}

function found<Part>(reply: string, part: Part | undefined): Part {
  if (part === undefined) throw new Error(`${reply} is no reply of a kind of order`);
  return part;
}

function replyOf({ operationId, responses }: Operation): string {
  const schema = responses['200']?.content?.['application/json']?.schema;
  return found(operationId, schema?.$ref?.replace(SCHEMA, ''));
}

function listOf(list: Operation | undefined): DescribedKind['list'] {
  if (list === undefined) return null;
  const names = (list.parameters ?? []).map(({ name }) => name);
  const addressFilter = names.find((name) => name === 'from' || name === 'receiverAddress') ?? null;
  return { hasContract: names.includes('contractAddress'), addressFilter };
}

function eventsWith(document: ApiDocument, reply: string): string[] {
  const own = eventsOf(document).filter((event) =>
    JSON.stringify(bodyOf(event)?.schema).includes(`"${SCHEMA}${reply}"`),
  );
  return [...new Set(own.map(({ path }) => path.replace(/\..*/, '')))];
}

/** The source of src/pages/shared/order-kinds.ts: what pages need to know of kinds, as data. */
export function pageKinds(document: ApiDocument): string {
  const kinds = orderKinds(document).map(({ reply, title, path, list, hasByTransaction, events }) => {
    const kind = { name: reply, title, path, list, hasByTransaction, events };
    return `  ${reply}: ${JSON.stringify(kind)},`;
  });
  const search = document.paths['/admin/orders']?.['get'];
  const names = search?.parameters?.find(({ name }) => name === 'kind')?.schema.enum ?? [];
  return `// Generated from the API document: npm run api:types

/** All kinds of orders of the API, by the names of their replies. */
export const ORDER_KINDS = {
${kinds.join('\n')}
} as const;

/** The names by which an operator searches for orders. */
export const SEARCHED_KINDS = ${JSON.stringify(names)} as const;
`;
}

/** The part of the client's source that says how orders are told apart and read. */
export function clientKinds(document: ApiDocument): string {
  const kinds = orderKinds(document);
  const readers = kinds.map(({ title, mark, read }) => `  ${JSON.stringify({ title, mark, read })},`);
  return `/** The reply about an order of any kind. */
export type OrderReply = ${kinds.map(({ reply }) => reply).join(' | ')};

/** How orders of each kind are told from others, by a field that only they have, and what reads them. */
export const ORDERS = [
${readers.join('\n')}
] as const;
`;
}
