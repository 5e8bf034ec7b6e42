import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseOptions } from '../../cli/corporate/corporate-options.ts';
import { parseDeployOptions } from '../../cli/deploy/deploy-options.ts';

const PARSERS: Readonly<Record<string, (args: readonly string[]) => unknown>> = {
  corporate: parseOptions,
  deploy: parseDeployOptions,
};

const commands = ['README.md', ...globSync('docs/*.md')]
  .toSorted()
  .flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(
        /npm\s+run\s+(?:-s\s+)?(?:nft\s+--\s+)?(corporate|deploy)\s+(?:--\s+)?([^`]*?)(?=`|\n```|\n\n)/g,
      ),
      ([, name = '', text = '']) => ({ file, name, text: text.trim().replaceAll(/\s+/g, ' ') }),
    ),
  );

/** One that names an option alone, or leaves something out, is not meant to be run. */
const isWhole = ({ text }: { text: string }) => !/\.\.\.|\||^--[\w-]+$/.test(text);

it.each(commands.filter(isWhole))('$file: npm run $name -- $text has what the command asks for', ({ name, text }) => {
  const args = text.replace('KEY_ID', '0190f3c1a2b4d5e6f7a8b9c0').split(' ');
  expect(PARSERS[name]?.(args)).toBeDefined();
});

it('finds the commands of the documents', () => {
  expect(commands.filter(isWhole).length).toBeGreaterThan(8);
});
