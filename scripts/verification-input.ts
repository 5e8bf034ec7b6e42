import { existsSync } from 'node:fs';
import path from 'node:path';
import { commandLine } from '../cli/command-line.ts';
import { repositoryRoot, standardJsonInput } from './contracts/compile-solidity.ts';

const USAGE = `npm run -s contracts:input -- CONTRACT

Prints the compiler's Standard JSON input for one contract, which block explorers use to verify its source.
Example:
  npm run -s contracts:input -- Standard721 > input.json`;

const [contractName = ''] = commandLine(USAGE, {}, { allowPositionals: true }).positionals;
const source = `contracts/${contractName}.sol`;

if (/^\w+$/u.test(contractName) && existsSync(path.join(repositoryRoot, source))) {
  process.stdout.write(`${JSON.stringify(standardJsonInput([source]), undefined, 2)}\n`);
} else {
  console.error(`contracts/ has no contract ${contractName}\n\n${USAGE}`);
  process.exitCode = 1;
}
