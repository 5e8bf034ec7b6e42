import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CHAINS } from '../../src/chains/list.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = ['src', 'cli', 'stack', 'scripts', 'bench'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')),
);

/**
 * Strings that only a definition may contain. A short id may also be an ordinary number, so it counts only as a string.
 */
const wordsOf = ({ id, name, indexName, nativeCoin }: (typeof CHAINS)[number]) => [
  ...(id.length > 3 ? [id, Number(id).toLocaleString('en-US').replaceAll(',', '_')] : []),
  ...[id, name, indexName, nativeCoin.rateId].map((word) => `'${word}'`),
];

it.each(CHAINS.map((chain) => [chain.name, chain] as const))(
  'names %s in its definition and nowhere else',
  (_, chain) => {
    const pattern = new RegExp(
      wordsOf(chain)
        .map((word) => `(?<![\\da-fA-F])${word}(?![\\da-fA-F])`)
        .join('|'),
    );
    const naming = sources.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));
    expect(naming.filter((file) => !file.startsWith(join('src', 'chains', 'definitions')))).toEqual([]);
  },
);
