// npm run nft -- <command>: what the operator of a deployment runs.
import { runCommand, type Command } from './command.ts';

/** The commands, each with what it is for. */
const COMMANDS: Readonly<Record<string, readonly [about: string, load: () => Promise<{ readonly command: Command }>]>> =
  {
    corporate: ['create and change accounts, their wallets and keys', () => import('./corporate/command.ts')],
    migrate: ['migrate a database, and grant the role of the Worker', () => import('./migrate/command.ts')],
    deploy: ['check what a deployment needs, and deploy', () => import('./deploy/command.ts')],
    fence: ['end every driver that runs now', () => import('./fence/command.ts')],
    compare: ['compare a restored database with the chains', () => import('./compare/command.ts')],
    export: ['write what an account leaves behind as files', () => import('./export/command.ts')],
    import: ['take up an account that another deployment has exported', () => import('./import/command.ts')],
    holder: ['find and erase what the database has about a holder', () => import('./holder/command.ts')],
    holdings: ['have the index of transfers built again', () => import('./holdings/command.ts')],
  };

const USAGE = `npm run nft -- COMMAND [OPTIONS]

What the operator of a deployment runs. Commands:
${Object.entries(COMMANDS)
  .map(([name, [about]]) => `  ${name.padEnd(10)} ${about}`)
  .join('\n')}
Example:
  npm run nft -- compare --help     how a command is used`;

const [name = '--help', ...args] = process.argv.slice(2);
const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (found !== undefined) {
  const { command } = await found[1]();
  await runCommand(command, args);
} else if (name === '--help') {
  console.log(USAGE);
} else {
  console.error(`There is no command ${name}\n\n${USAGE}`);
  process.exitCode = 1;
}
