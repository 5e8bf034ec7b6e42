import type { Address, Hex } from 'viem';
import type { Chain } from '../../chains/client.ts';
import { withChainErrors, readContract, valueOf } from '../../chains/contract-reads.ts';
import { credibleHeight } from '../../chains/credible-height.ts';
import { requireOwner } from './require-owner.ts';
import { interfaceView, ownerView, trustedForwarderView } from './views.ts';
import { invalidInput, type InputIssue } from '../../core/domain-error.ts';
import type { ContractType, ErcStandard } from '../../platform/database/schema.ts';

/** Interface ids (ERC-165). */
const ERC165 = '0x01ffc9a7';
/** No contract may claim this one. */
const NO_INTERFACE = '0xffffffff';
const TOKENS = { '721': '0x80ac58cd', '1155': '0xd9b67a26' } as const;
/** ERC-5192: the tokens are locked to their holder. */
const LOCKED = '0xb45a3c0e';

/** Code of a wallet that delegates to a contract (EIP-7702). The wallet can change it at any time. */
const DELEGATION = '0xef0100';

/** What a contract from elsewhere is said to be. */
interface Claim {
  readonly contractAddress: Address;
  readonly ercStandard: ErcStandard;
  readonly contractType: ContractType;
}

/**
 * Checks that a contract is what its account says and that the account's wallet owns it. A hostile contract can pretend
 * all of that; the check prevents mistakes, and nobody registers what another account's wallet owns.
 * @returns the block that was read, or a later one; and the forwarder that the contract says it trusts, if any.
 * @throws {DomainError} `invalid` with every issue of the contract; `conflict` if the wallet is not its owner;
 *   `upstream` if the chain does not answer.
 */
export async function inspectContract(chain: Chain, claim: Claim, wallet: Address) {
  const { id, client } = chain;
  const { contractAddress, ercStandard } = claim;
  const claims = async (interfaceId: Hex) =>
    valueOf(await readContract(client, interfaceView(contractAddress, interfaceId)));
  const other = ercStandard === '721' ? TOKENS['1155'] : TOKENS['721'];
  const [code, isErc165, claimsAll, isToken, isOther, isLocked, answer, trusted, blockNumber] = await Promise.all([
    withChainErrors(() => client.getCode({ address: contractAddress })),
    claims(ERC165),
    claims(NO_INTERFACE),
    claims(TOKENS[ercStandard]),
    claims(other),
    claims(LOCKED),
    readContract(client, ownerView(contractAddress)),
    readContract(client, trustedForwarderView(contractAddress)),
    // Last in the batch, so that nothing read before it is from a newer block.
    credibleHeight(chain),
  ]);
  if (code === undefined || code.startsWith(DELEGATION)) {
    throw invalidInput([{ path: 'contractAddress', message: `has no contract on chain ${id}` }]);
  }
  const issues = interfaceIssues(claim, {
    isErc165: isErc165 === true && claimsAll === false,
    isToken: isToken === true && isOther !== true,
    isLocked: isLocked === true,
  });
  if (issues.length > 0) throw invalidInput(issues);
  requireOwner(answer, wallet);
  return { blockNumber, trustedForwarder: valueOf(trusted) };
}

interface Answers {
  /** Whether the contract tells interfaces apart (ERC-165). */
  readonly isErc165: boolean;
  /** Whether it claims the token standard, and not the other one. */
  readonly isToken: boolean;
  readonly isLocked: boolean;
}

function interfaceIssues({ ercStandard, contractType }: Claim, answers: Answers): InputIssue[] {
  if (!answers.isErc165) {
    return [{ path: 'contractAddress', message: 'does not say which interfaces it implements (ERC-165)' }];
  }
  const issues: InputIssue[] = [];
  if (!answers.isToken) {
    issues.push({ path: 'ercStandard', message: 'is not the one that the contract claims to implement (ERC-165)' });
  }
  if (contractType === 'standard' && answers.isLocked) {
    issues.push({
      path: 'contractType',
      message: 'must be certificate: the contract says that its tokens are locked (ERC-5192)',
    });
  }
  if (contractType === 'certificate' && ercStandard === '721' && !answers.isLocked) {
    issues.push({
      path: 'contractType',
      message: 'must be standard: the contract does not say that its tokens are locked (ERC-5192)',
    });
  }
  return issues;
}
