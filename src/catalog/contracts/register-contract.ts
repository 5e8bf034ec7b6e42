import { z } from 'zod';
import type { Address } from 'viem';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { DomainError } from '../../core/domain-error.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { chainIdField, contractAddressField } from '../../core/fields.ts';
import { newRecord } from '../../core/record-id.ts';
import type { TenantDb } from '../../platform/database/client.ts';
import type { TenantServices } from '../../services.ts';
import { limitRefusal } from '../../limits/account-limits.ts';
import { readUsage } from '../../limits/limits.store.ts';
import { inspectContract } from './inspect-contract.ts';
import { isForeignForwarder } from './is-foreign-forwarder.ts';
import { getContract } from './read-contracts.ts';
import {
  contractsAt,
  findContract,
  insertRegisteredContract,
  removeRegistration,
  type Contract,
} from './contracts.store.ts';

/** POST /contracts/register. */
export const registrationInput = z
  .strictObject({
    chainId: chainIdField,
    contractAddress: contractAddressField,
    ercStandard: z.enum(['721', '1155']).meta({ description: 'Token standard: ERC-721 or ERC-1155' }),
    contractType: z
      .enum(['standard', 'certificate'])
      .meta({ description: 'standard: tokens can be transferred. certificate: they cannot' }),
  })
  .meta({ id: 'RegisterContract' });

type RegistrationInput = z.output<typeof registrationInput>;

/** The account's contract, and whether this request registered it. */
interface Registered {
  readonly contract: Contract;
  readonly isNew: boolean;
}

/**
 * Registers a contract that this service did not deploy as one of the account's ACTIVE contracts. The checks describe
 * the contract as it is now; a proxy can change afterwards. What an order does is checked again before it is signed.
 * @throws {DomainError} `invalid` if the contract is not what the input says; `conflict` if the account's wallet is not
 *   its owner, if the account has it as something else, or if another contract has its address; `limit_forbids` if it
 *   trusts a forwarder that the account's limits do not allow; `upstream` if the chain does not answer.
 */
export async function registerContract(services: TenantServices, input: RegistrationInput): Promise<Registered> {
  const { db, chains, account, isRetry } = services;
  const { id, now } = newRecord(services);
  // An earlier attempt of the same request has registered it, and the chain may not be allowed any more.
  const earlier = isRetry ? await findContract(db, id) : undefined;
  if (earlier !== undefined) return { contract: earlier, isNew: true };

  const chain = requireAllowedChain(chains, input.chainId);
  const own = ownAmong(db, await contractsAt(db, input.contractAddress), input);
  if (own !== undefined) return { contract: own, isNew: false };

  const { blockNumber, trustedForwarder } = await inspectContract(chain, input, account.walletAddress);
  if (trustedForwarder !== undefined) await requireAllowedForwarder(services, chain.id, trustedForwarder);
  const known = await insertRegisteredContract(db, {
    id,
    ...input,
    status: 'ACTIVE',
    currentOwnerAddress: account.walletAddress,
    registeredAtBlock: blockNumber,
    createdAt: now,
    updatedAt: now,
  });
  const contract = ownAmong(db, known, input);
  if (contract === undefined) {
    throw new DomainError('conflict', 'A contract with this address is already registered');
  }
  return { contract, isNew: contract.id === id };
}

/**
 * Takes a registered contract out of the account's ACTIVE ones. Orders that were accepted for it are carried out, and
 * the documents of its tokens stay public. Repeating it changes nothing.
 * @throws {DomainError} as {@link getContract}; `conflict` for a contract that this service has deployed.
 */
export async function unregisterContract(services: TenantServices, id: string): Promise<void> {
  const { registeredAtBlock } = await getContract(services, id);
  if (registeredAtBlock === null) {
    throw new DomainError('conflict', 'The contract is not a registered one: what this service deploys stays');
  }
  await removeRegistration(services.db, id, new Date(services.clock.now()));
}

/**
 * The rule for contracts that are deployed.
 * @throws {DomainError} `limit_forbids` if the account's limits do not allow the forwarder.
 */
async function requireAllowedForwarder(services: TenantServices, chainId: string, forwarder: Address): Promise<void> {
  const { limits } = await readUsage(services.db, new Date(services.clock.now()));
  if (limits?.receivers?.includes(lowerCase(forwarder)) !== false) return;
  if (await isForeignForwarder(services, chainId, forwarder)) throw limitRefusal('receivers');
}

/** @throws {DomainError} `conflict` if the account has the contract as something else. */
function ownAmong(
  { accountId }: TenantDb,
  known: readonly Contract[],
  { chainId, ercStandard, contractType }: RegistrationInput,
): Contract | undefined {
  const own = known.find((one) => one.corporateAccountId === accountId && one.chainId === chainId);
  if (own === undefined || (own.ercStandard === ercStandard && own.contractType === contractType)) return own;
  const what =
    own.ercStandard === 'Forwarder' ? 'a forwarder' : `an ERC-${own.ercStandard} ${own.contractType} contract`;
  throw new DomainError('conflict', `The account already has this contract, as ${what}`);
}
