import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * What the command line of a command says. If it asks for help, or is wrong, this process ends with how the command is
 * used.
 * @param usage How it is used, with examples.
 * @param args Default: those of this process.
 * @param allowPositionals Whether it takes arguments besides options.
 */
export function commandLine<const Own extends Options>(
  usage: string,
  options: Own,
  {
    args = process.argv.slice(2),
    allowPositionals = false,
  }: { args?: readonly string[]; allowPositionals?: boolean } = {},
) {
  if (args.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return process.exit(1);
  }
}
