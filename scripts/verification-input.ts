import { existsSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot, standardJsonInput } from './contracts/compile-solidity.ts';

/**
 * Prints the compiler's Standard JSON input for one contract, which block explorers use to verify its source.
 *
 * Usage: npm run -s contracts:input -- <Contract>
 */

const [contractName = ''] = process.argv.slice(2);
const source = `contracts/${contractName}.sol`;

if (/^\w+$/u.test(contractName) && existsSync(path.join(repositoryRoot, source))) {
  process.stdout.write(`${JSON.stringify(standardJsonInput([source]), undefined, 2)}\n`);
} else {
  console.error('Usage: npm run -s contracts:input -- <Contract>, for example Standard721');
  process.exitCode = 1;
}
