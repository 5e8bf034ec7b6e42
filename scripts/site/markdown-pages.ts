import {
  bodyOf,
  eventsOf,
  failuresOf,
  keyOf,
  operationsByTag,
  pathOfOperation,
  successesOf,
  type ApiDocument,
  type Operation,
} from './api-document.ts';
import { GUIDES, pathOfGuide, READERS } from './guides.ts';
import type { Links } from './markdown.ts';
import { samplesOf } from './samples.ts';

/** Links and images of a document in Markdown, without those to other hosts. */
const LINK = /(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)\s]+)\)/g;

/** A document as programs read it: its links lead to the Markdown of the pages that have it. */
export function documentInMarkdown(text: string, { link, image }: Pick<Links, 'link' | 'image'>): string {
  return text.replaceAll(LINK, (_, mark: string, label: string, href: string) => {
    if (mark !== '') return `![${label}](${image(href)})`;
    const target = link(href);
    // What leads nowhere on the site is its text, as on the pages.
    if (target === undefined) return label;
    const [path = '', anchor] = target.split('#');
    const ending = /\.md(?:#|$)/.test(href) && path !== '/' ? '.md' : '';
    return `[${label}](${path}${ending}${anchor === undefined ? '' : `#${anchor}`})`;
  });
}

const KEYS = {
  account: 'Needs a key of the account, in the header `x-api-key`.',
  operator: "Needs the operator's key, in the header `x-admin-secret-key`.",
  none: 'Public: needs no key.',
};

const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;
const json = (value: unknown) => fence('json', JSON.stringify(value, null, 2));

/** An operation or an event as programs read it. */
export function operationInMarkdown(document: ApiDocument, operation: Operation): string {
  const { isEvent, method, path, summary, description = '', parameters = [] } = operation;
  const body = bodyOf(operation);
  const [curl] = samplesOf(operation);
  return [
    `# ${isEvent ? path : summary}`,
    isEvent ? summary : `\`${method.toUpperCase()} ${path}\``,
    description,
    ...(isEvent ? [] : [KEYS[keyOf(operation)]]),
    ...(parameters.length === 0
      ? []
      : [
          '## Parameters',
          parameters
            .map(({ name, in: place, required, description: about = '' }) => {
              return `- \`${name}\` (${place}${required === true ? ', required' : ''}): ${about}`;
            })
            .join('\n'),
        ]),
    ...(isEvent && body?.example !== undefined ? ['## Body', json(body.example)] : []),
    ...(isEvent || curl === undefined ? [] : ['## Request', fence('bash', curl.code)]),
    ...successesOf(operation).flatMap(({ status, description: about, example }) => [
      `## Reply ${status}`,
      about,
      ...(example === undefined ? [] : [json(example)]),
    ]),
    ...(isEvent
      ? []
      : [
          '## Errors',
          failuresOf(document, operation)
            .map(({ status, description: about }) => `- ${status}: ${about}`)
            .join('\n'),
          'Every field with its type: [/openapi.json](/openapi.json).',
        ]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

/** `/llms.txt` (https://llmstxt.org): what there is to read, as Markdown. */
export function llmsText(document: ApiDocument): string {
  const { partners, operators } = operationsByTag(document);
  const guides = READERS.flatMap(([reader, title]) => [
    `## ${title}`,
    GUIDES[reader].map(({ file, label, about }) => `- [${label}](${pathOfGuide(file)}.md): ${about}`).join('\n'),
  ]);
  const reference = [...partners, ...operators].flatMap(({ name, operations }) => [
    `## API: ${name}`,
    operations
      .map((one) => `- [${one.summary}](${pathOfOperation(one)}.md): \`${one.method.toUpperCase()} ${one.path}\``)
      .join('\n'),
  ]);
  return [
    '# NFT issuance service',
    '> An HTTP API that deploys ERC-721 and ERC-1155 contracts, stores metadata, mints, moves tokens without gas for their holders, and reports results by signed webhooks. Each accepted order is carried out exactly once.',
    'The whole API: [/openapi.json](/openapi.json) (OpenAPI 3.1). Each guide, operation and event is also there as Markdown, with `.md` after its path.',
    ...guides,
    ...reference,
    '## Events of webhooks',
    eventsOf(document)
      .map((one) => `- [${one.path}](${pathOfOperation(one)}.md): ${one.summary}`)
      .join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}
