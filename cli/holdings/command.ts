// npm run nft -- holdings: has the index of transfers built again.
import { isAddress } from 'viem';
import { rebuildIndex } from './rebuild-index.ts';
import { DEFAULT_CHAIN } from '../../src/chains/list.ts';
import { chooseTarget } from '../account-target.ts';
import type { Command } from '../command.ts';
import { commandLine } from '../command-line.ts';
import { databaseName } from '../database-name.ts';
import { UsageError } from '../usage-error.ts';

const USAGE = `npm run nft -- holdings --rebuild --chain ID [--contract ADDRESS] [--from-block N] [--target local|database]

Removes the data of GET /holdings for a chain, or for one contract, so that the next runs of the minutely job read it from the chain again.
No event is sent twice; erased holders appear again.
  --rebuild     do it
  --chain       the chain id
  --contract    only this contract; default: the whole chain
  --from-block  the first block to read: for a contract from elsewhere, that of its deployment; default: unchanged
  --target      as for npm run corporate, which also describes the environment that the target "database" needs
Exit codes: 0 success, 1 failure, 2 ambiguous target.
Examples:
  npm run nft -- holdings --rebuild --chain ${DEFAULT_CHAIN.id}
  npm run nft -- holdings --rebuild --chain ${DEFAULT_CHAIN.id} --contract 0x8ba1f109551bD432803012645Ac136ddd64DBA72 --from-block 51000000 --target database`;

async function run(args: readonly string[]): Promise<void> {
  const { values } = commandLine(
    USAGE,
    {
      rebuild: { type: 'boolean', default: false },
      chain: { type: 'string' },
      contract: { type: 'string' },
      'from-block': { type: 'string' },
      target: { type: 'string' },
    },
    { args },
  );
  const { rebuild, chain, contract, 'from-block': from, target } = values;
  if (!rebuild) throw new UsageError('--rebuild is required');
  if (chain === undefined || !/^[1-9]\d{0,15}$/.test(chain)) throw new UsageError('--chain must be a chain id');
  if (contract !== undefined && !isAddress(contract, { strict: false })) {
    throw new UsageError('--contract must be 0x and 40 hex digits');
  }
  if (from !== undefined && !/^\d{1,12}$/.test(from))
    throw new UsageError('--from-block must be the number of a block');
  const { databaseUrl } = chooseTarget(target, process.env).stores;
  const fromBlock = from === undefined ? undefined : Number(from);
  const count = await rebuildIndex(databaseUrl, { chainId: chain, contractAddress: contract, fromBlock });
  if (count === 0) throw new UsageError(`${databaseName(databaseUrl)} has no such contract in the index`);
  console.error(`${databaseName(databaseUrl)}: ${count} ${count === 1 ? 'contract is' : 'contracts are'} read again`);
}

export const command: Command = { usage: USAGE, run };
